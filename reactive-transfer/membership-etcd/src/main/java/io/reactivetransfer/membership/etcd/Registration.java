package io.reactivetransfer.membership.etcd;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.watch.WatchEvent;
import io.etcd.jetcd.watch.WatchResponse;
import io.reactivetransfer.membership.Node;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * One node that is entered, for one subscription. An attempt that fails leaves its lease alone: the
 * others see the node as long as that lasts, and nothing at all if it is entered again in time.
 * Only then, or when the registration ends, are those leases ended.
 */
final class Registration {

  /** Of those that failed; older ones end by themselves. */
  private static final int MAX_DROPPED = 16;

  private final EtcdCalls calls;
  private final Duration lease;
  private final Node node;
  private final ByteSequence key;
  private final LongFunction<Mono<Void>> leave;
  private final Deque<Long> dropped = new ArrayDeque<>();

  /**
   * Nothing happens yet.
   *
   * @param leave ends a lease
   */
  Registration(
      EtcdCalls calls,
      Duration lease,
      Node node,
      ByteSequence key,
      LongFunction<Mono<Void>> leave) {
    this.calls = calls;
    this.lease = lease;
    this.node = node;
    this.key = key;
    this.leave = leave;
  }

  /** Emits the node each time that it was entered, and never completes. */
  Flux<Node> entered() {
    Flux<Node> once =
        Flux.usingWhen(
            calls.grant(lease),
            this::stay,
            leave::apply,
            (granted, _) -> Mono.fromRunnable(() -> drop(granted)),
            leave::apply);
    return Attempts.at("enter the node " + node.name(), once).doFinally(_ -> leaveDropped());
  }

  /** Ends when the lease is lost, or the key is taken away, by whomever. */
  private Flux<Node> stay(long granted) {
    return calls
        .put(key, NodeKeys.value(node), granted)
        .flatMapMany(revision -> untilOneEnds(calls.keep(granted), watched(revision + 1)))
        .doOnNext(_ -> leaveDropped());
  }

  /** A connection that is lost ends both at once, and nobody is to hear of the second end. */
  private static Flux<Node> untilOneEnds(Flux<Node> one, Flux<Node> other) {
    return Flux.merge(one.materialize(), other.materialize()).dematerialize();
  }

  /** It counts as entered once its key is watched: who may not do that could not keep it. */
  private Flux<Node> watched(long revision) {
    return calls
        .watch(key, false, revision)
        .handle((changes, sink) -> {
          if (isDeleted(changes)) {
            sink.error(new IllegalStateException("the key of " + node.name() + " was deleted"));
          } else if (changes.getEvents().isEmpty()) {
            sink.next(node);
          }
        });
  }

  private static boolean isDeleted(WatchResponse changes) {
    return changes.getEvents().stream()
        .anyMatch(event -> event.getEventType() == WatchEvent.EventType.DELETE);
  }

  private synchronized void drop(long granted) {
    dropped.addLast(granted);
    if (dropped.size() > MAX_DROPPED) {
      dropped.removeFirst();
    }
  }

  private void leaveDropped() {
    for (Long each = nextDropped(); each != null; each = nextDropped()) {
      leave.apply(each).subscribe();
    }
  }

  private synchronized @Nullable Long nextDropped() {
    return dropped.pollFirst();
  }
}
