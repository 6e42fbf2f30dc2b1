package io.reactivetransfer.kvcache;

import io.reactivetransfer.Peer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * The beginning of an order: finds out of each prefill node what it has, and what it is told of the
 * memory here. Safe from any thread.
 */
final class Sources {

  /** What is needed of one node before it can be asked for anything. */
  record Ready(KvSource source, OwnMemory memory) {}

  private final KvDecode owner;
  private final KvOrder order;
  private final Disposable.Composite running;
  private final BiConsumer<Throwable, Peer> failed;
  private final AtomicReferenceArray<@Nullable Ready> ready;
  private final AtomicInteger missing;

  /** Guarded by this, like the next one. */
  private final List<OwnMemory> memories = new ArrayList<>();

  private boolean ended;

  /**
   * Of one order.
   *
   * @param running whatever is disposed of when the order has ended
   * @param failed is told why something cannot be found out, and of which node
   */
  Sources(
      KvDecode owner,
      KvOrder order,
      Disposable.Composite running,
      BiConsumer<Throwable, Peer> failed) {
    this.owner = owner;
    this.order = order;
    this.running = running;
    this.failed = failed;
    int nodes = order.prefills().size();
    this.ready = new AtomicReferenceArray<>(nodes);
    this.missing = new AtomicInteger(nodes);
  }

  /**
   * Begins.
   *
   * @param whenAll runs when all is known
   */
  void find(Runnable whenAll) {
    for (int i = 0; i < ready.length() && !running.isDisposed(); i++) {
      find(i, order.prefills().get(i), whenAll);
    }
  }

  private void find(int index, Peer prefill, Runnable whenAll) {
    Mono<Void> all =
        owner
            .source(prefill)
            .flatMap(source -> {
              OwnMemory memory = memoryFor(index, prefill);
              return memory
                  .ready()
                  .doOnSuccess(done -> ready.set(index, new Ready(source, memory)));
            });
    running.add(
        Ending.of(
            all,
            () -> {
              if (missing.decrementAndGet() == 0) {
                whenAll.run();
              }
            },
            e -> failed.accept(e, prefill)));
  }

  /** What is registered for it is closed when the order ends, also if it is registered later. */
  private OwnMemory memoryFor(int index, Peer prefill) {
    OwnMemory memory = owner.memoryFor(prefill, index == 0 ? order.tail() : null);
    synchronized (this) {
      if (ended) {
        throw new IllegalStateException("the order has ended"); // nobody hears it any more
      }
      memories.add(memory);
    }
    return memory;
  }

  /** What is known by now, in the order of the nodes. */
  List<Ready> known() {
    List<Ready> known = new ArrayList<>();
    for (int i = 0; i < ready.length(); i++) {
      Ready one = ready.get(i);
      if (one != null) {
        known.add(one);
      }
    }
    return known;
  }

  /** The first node of which something is not known yet; null if there is none. */
  @Nullable Peer unknown() {
    for (int i = 0; i < ready.length(); i++) {
      if (ready.get(i) == null) {
        return order.prefills().get(i);
      }
    }
    return null;
  }

  /** Closes what was registered for this order alone, and registers nothing more. */
  Mono<Void> ended() {
    List<OwnMemory> all;
    synchronized (this) {
      ended = true;
      all = List.copyOf(memories);
    }
    return Flux.fromIterable(all).concatMapDelayError(OwnMemory::ended).then();
  }
}
