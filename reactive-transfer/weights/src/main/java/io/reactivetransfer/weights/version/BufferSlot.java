package io.reactivetransfer.weights.version;

import io.reactivetransfer.ImmLease;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.RegionDescriptor;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.weights.internal.Listener;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.Mono;

/**
 * One buffer of a rank, as others write to it: registered by the rank itself, so that ending its
 * keys concerns nobody else. Only in turns.
 */
final class BufferSlot {

  private final TransferEngine engine;
  private final List<MemoryRegion> regions;
  private @Nullable ImmLease imm;
  private final Disposable.Swap claim = Disposables.swap();

  /** Of regions that nobody was told of. */
  BufferSlot(TransferEngine engine, List<MemoryRegion> regions) {
    this.engine = engine;
    this.regions = List.copyOf(regions);
  }

  /**
   * Opens it to writes, under keys and an immediate that nobody has had before.
   *
   * @throws io.reactivetransfer.TransferRejectedException if the engine gives none any more
   */
  RankTarget open(String rank, long arrivals) {
    ImmLease lease = engine.lease();
    imm = lease;
    return new RankTarget(rank, keys(), lease.imm(), arrivals);
  }

  /** By which others write to it now. */
  List<RegionDescriptor> keys() {
    return regions.stream().map(MemoryRegion::descriptor).toList();
  }

  /** Waits for what was opened last. */
  void count(long arrivals, Runnable filled, Consumer<Throwable> failed) {
    ImmLease lease = imm;
    if (lease != null) {
      claim.update(Listener.ofEnd(lease.counter().next(arrivals), filled, failed));
    }
  }

  /** Completes when nothing can land any more; what comes from then on is refused. */
  Mono<Void> seal() {
    return Mono.whenDelayError(regions.stream().map(MemoryRegion::revoke).toList())
        .doOnTerminate(this::endCounting);
  }

  private void endCounting() {
    claim.update(Disposables.disposed());
    ImmLease lease = imm;
    if (lease != null) {
      lease.close();
    }
  }

  /** Completes when the memory is the caller's again. */
  Mono<Void> close() {
    return Mono.whenDelayError(regions.stream().map(MemoryRegion::close).toList())
        .doFinally(end -> endCounting());
  }
}
