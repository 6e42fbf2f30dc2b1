package io.reactivetransfer.kvcache;

import io.reactivetransfer.Access;
import io.reactivetransfer.Memory;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.TransferEngine;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/** What one decode has registered itself, until all of it is closed. Safe from any thread. */
final class OwnRegistrations {

  /**
   * One of them.
   *
   * @param region what is registered, when it is; goes on though nobody waits
   * @param closed closes it when it is first subscribed to, and goes on though nobody waits; before
   *     that it waits until it is registered, or cannot be
   */
  record Own(Mono<MemoryRegion> region, Mono<Void> closed) {}

  private final TransferEngine engine;
  private final Sinks.Empty<Void> closed = Sinks.empty();

  /** Those that are open or about to be. Guarded by this, like the next ones. */
  private int open;

  private boolean ended;
  private @Nullable Throwable failure;

  /** On one engine. */
  OwnRegistrations(TransferEngine engine) {
    this.engine = engine;
  }

  /** Registers, when what is returned is first asked for its region. */
  Own register(Memory memory) {
    Mono<MemoryRegion> region =
        Mono.defer(() ->
                begin()
                    ? engine.register(memory, Access.REMOTE_WRITE).doOnError(failed -> gone(null))
                    : Mono.error(
                        new IllegalStateException(
                            "expected a KvDecode that is in use, got one disposed of")))
            .cache();
    Mono<Void> closed = region.onErrorComplete().flatMap(this::close).cache();
    return new Own(region, closed);
  }

  private Mono<Void> close(MemoryRegion region) {
    return region.close().doOnSuccess(done -> gone(null)).doOnError(this::gone);
  }

  private synchronized boolean begin() {
    if (ended) {
      return false;
    }
    open++;
    return true;
  }

  private void gone(@Nullable Throwable reason) {
    synchronized (this) {
      open--;
      if (failure == null) {
        failure = reason;
      }
    }
    signal();
  }

  /** Registers nothing any more. */
  void end() {
    synchronized (this) {
      ended = true;
    }
    signal();
  }

  private void signal() {
    Throwable reason;
    synchronized (this) {
      if (!ended || open > 0) {
        return;
      }
      reason = failure;
    }
    if (reason == null) {
      closed.tryEmitEmpty();
    } else {
      closed.tryEmitError(reason);
    }
  }

  /**
   * Completes when nothing is registered any more, nor will be; fails if something could not be
   * closed.
   */
  Mono<Void> closed() {
    return closed.asMono();
  }
}
