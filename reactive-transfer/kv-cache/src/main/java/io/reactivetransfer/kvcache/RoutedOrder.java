package io.reactivetransfer.kvcache;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.Peer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * What one subscription to a {@link KvRouter} wants, and whom it has asked. Its attempts follow
 * each other, so it needs no lock.
 */
final class RoutedOrder<T> {

  /** An order takes no shorter deadline. */
  private static final Duration SHORTEST = Duration.ofMillis(1);

  /** So much must be left for another node to be asked. */
  private static final Duration WORTH_A_TRY = Duration.ofMillis(10);

  private final KvDecode decode;
  private final Duration deadline;
  private final long end;
  private final int attempts;
  private final Function<? super Peer, KvOrder.Builder> order;
  private final Function<? super KvArrival, ? extends Mono<? extends T>> use;
  private final Set<EngineId> asked = new HashSet<>();
  private final List<HandOverException> failures = new ArrayList<>();

  /** Written where the arrival is told, before the attempt can end. */
  private volatile boolean arrived;

  /** What the application's function has thrown instead of an order. */
  private @Nullable Throwable noOrder;

  RoutedOrder(
      KvDecode decode,
      Duration deadline,
      int attempts,
      Function<? super Peer, KvOrder.Builder> order,
      Function<? super KvArrival, ? extends Mono<? extends T>> use) {
    this.decode = decode;
    this.deadline = deadline;
    this.end = decode.cache().timers.nanos() + deadline.toNanos();
    this.attempts = attempts;
    this.order = order;
    this.use = use;
  }

  Duration remaining() {
    Duration left = Duration.ofNanos(end - decode.cache().timers.nanos());
    return left.compareTo(SHORTEST) < 0 ? SHORTEST : left;
  }

  boolean canAskOneOf(Collection<Peer> known) {
    return known.stream().anyMatch(this::isNew);
  }

  private boolean isNew(Peer prefill) {
    return !asked.contains(prefill.id());
  }

  /** Those of them that were not asked yet. */
  List<Peer> among(Collection<Peer> known) {
    return known.stream().filter(this::isNew).toList();
  }

  Mono<T> ask(RouterLoads.Attempt attempt) {
    asked.add(attempt.peer().id());
    return decode.receive(
        () -> orderOf(attempt.peer()),
        arrival -> {
          arrived = true;
          attempt.arrived();
          return use.apply(arrival);
        });
  }

  private KvOrder orderOf(Peer prefill) {
    try {
      return order.apply(prefill).deadline(remaining()).build();
    } catch (Throwable thrown) {
      noOrder = thrown;
      throw thrown;
    }
  }

  /** Whether it is a node that has not done what it was asked. */
  boolean isOfNode(Throwable failure) {
    return !arrived
        && !failure.equals(noOrder)
        && failure instanceof HandOverException known
        && !decode.cache().engine.isClosed()
        && switch (known.reason()) {
          case PEER_LOST, REFUSED, CANCELLED -> true;
          case FAILED -> known.requestId() > 0; // else nothing was sent, and it has failed here
          case DEADLINE -> hasTime(); // that of the node, which gives less than was asked for
          case INFEASIBLE -> false;
        };
  }

  /** Whether another node may do it. */
  boolean goesOnAfter(HandOverException failure) {
    failures.add(failure);
    return asked.size() < attempts && hasTime();
  }

  private boolean hasTime() {
    return end - decode.cache().timers.nanos() > WORTH_A_TRY.toNanos();
  }

  /** The last failure, and, in another one if there were several, those before it. */
  Throwable ending(Throwable last) {
    if (arrived) {
      return last; // it is the application's own, like what was thrown instead of an order
    }
    List<HandOverException> before =
        failures.stream().filter(failure -> !failure.equals(last)).distinct().toList();
    if (before.isEmpty() || last.equals(noOrder) || !(last instanceof HandOverException known)) {
      return last;
    }
    HandOverException all = known.afterOthers(before.size());
    before.forEach(all::addSuppressed);
    return all;
  }

  /** Nobody has come whom it has not asked. */
  Throwable nobodyInTime() {
    return nobody("within " + deadline.toMillis() + " ms");
  }

  /** Nobody else can come. */
  Throwable nobody() {
    return nobody("among nodes that do not change any more");
  }

  private Throwable nobody(String where) {
    return lastFailureOr(
        new HandOverException(
            HandOverException.Reason.DEADLINE,
            "expected a prefill node for model "
                + decode.model()
                + " "
                + where
                + ", got none; see which nodes there are, and which of them are alive"));
  }

  /** What has become of those who were asked says more than why nobody else can be. */
  Throwable lastFailureOr(Throwable reason) {
    return failures.isEmpty() ? reason : ending(failures.getLast());
  }

  /** Why the decode side can make no order any more, if that is so. */
  @Nullable Throwable goneWith() {
    if (decode.cache().engine.isClosed()) {
      return new HandOverException(HandOverException.Reason.FAILED, KvCache.CLOSED);
    }
    return decode.isDisposed() ? KvDecode.disposedError() : null;
  }
}
