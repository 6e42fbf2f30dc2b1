package io.reactivetransfer.examples.together;

import io.reactivetransfer.Imm;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.kvcache.KvCache;
import io.reactivetransfer.kvcache.KvCacheOptions;
import io.reactivetransfer.moe.MoeMemory;
import io.reactivetransfer.moe.MoeNode;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;

/** What a node has: one engine, on which all pipelines stand, and memory. */
final class Site {

  private static final long ALIGNMENT = MoeMemory.ALIGNMENT;

  final String name;
  final TransferEngine engine;
  final KvCache cache;
  final MoeNode experts;

  /** On which pipelines do what takes a while. */
  final Scheduler scheduler;

  /** What their deadlines go by. */
  final Scheduler timers;

  private final Arena arena;

  /**
   * A node.
   *
   * @param arena for its memory; the caller's, who closes it after the engine
   */
  Site(String name, TransferEngine engine, Scheduler scheduler, Scheduler timers, Arena arena) {
    this.name = name;
    this.engine = engine;
    this.scheduler = scheduler;
    this.timers = timers;
    this.arena = arena;
    this.cache = KvCache.open(engine, name, KvCacheOptions.builder().timers(timers).build());
    this.experts = MoeNode.open(engine);
  }

  MemorySegment allocate(long bytes) {
    return arena.allocate(bytes, ALIGNMENT);
  }

  /** Ends what pipelines share, and waits until the engine has heard what was given back. */
  Mono<Void> close() {
    return Mono.defer(() -> {
      cache.dispose();
      return cache.closed().then(experts.close()).then(leasesAreGivenBack()).then(turn());
    });
  }

  /**
   * A lease that is closed is given back when the NICs have told all that they had by then. So is a
   * discard answered, behind the leases that were closed before; of an immediate that nobody uses.
   */
  private Mono<Long> leasesAreGivenBack() {
    return engine.counter(Imm.of(1)).discard();
  }

  /** Figures follow at the end of a turn of the NICs' thread. */
  private Mono<Void> turn() {
    return Mono.<Void>fromRunnable(() -> {}).subscribeOn(engine.scheduler());
  }
}
