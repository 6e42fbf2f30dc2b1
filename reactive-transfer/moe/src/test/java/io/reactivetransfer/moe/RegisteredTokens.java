package io.reactivetransfer.moe;

import io.reactivetransfer.Access;
import io.reactivetransfer.HostMemory;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.MemorySlice;
import io.reactivetransfer.TransferEngine;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Tokens in memory that is registered with engines, for local use: at any offset, with gaps between
 * them, in several regions in turn, of which some are closed when they were used.
 */
final class RegisteredTokens {

  private static final byte MARK = 0x55;
  private static final int MOST_SPARE = 40;
  private static final int SMALLEST = 2_048;

  /** Of each engine, so that a lane finds some of them again. */
  private static final int MOST_IDLE = 12;

  private final List<TransferEngine> engines;
  private final Arena arena;
  private final RandomSteps random;

  /** By the number of the engine, those that are not in use. */
  private final Map<Integer, Deque<MemoryRegion>> idle = new HashMap<>();

  RegisteredTokens(List<TransferEngine> engines, Arena arena, RandomSteps random) {
    this.engines = engines;
    this.arena = arena;
    this.random = random;
  }

  /** The tokens of one step, with what lies around them in their region. */
  record Given(MemoryRegion region, MemorySlice slice, long stride) {

    MemorySegment memory() {
      return ((HostMemory) region.memory()).segment();
    }

    /** Writes to it, since nobody reads it any more. */
    void spoil() {
      memory().fill(MARK);
    }
  }

  /** Whether those of the next step are to be registered: half of all are. */
  synchronized boolean areNext() {
    return random.chance(50);
  }

  /** Puts tokens without gaps somewhere into a region. */
  Mono<Given> give(int engine, MemorySegment tokens, int count, long bytes) {
    return Mono.defer(() -> region(engine, count * (bytes + MOST_SPARE) + MOST_SPARE))
        .map(region -> put(region, tokens, count, bytes));
  }

  private synchronized Mono<MemoryRegion> region(int engine, long bytes) {
    Deque<MemoryRegion> free = free(engine);
    if (free.size() >= MOST_IDLE || !random.chance(50)) {
      for (Iterator<MemoryRegion> each = free.iterator(); each.hasNext(); ) {
        MemoryRegion region = each.next();
        if (region.length() >= bytes) {
          each.remove();
          return Mono.just(region);
        }
      }
    }
    MemorySegment memory = arena.allocate(Math.max(SMALLEST, bytes));
    return engines.get(engine).register(new HostMemory(memory), Access.LOCAL);
  }

  private Deque<MemoryRegion> free(int engine) {
    return idle.computeIfAbsent(engine, key -> new ArrayDeque<>());
  }

  private synchronized Given put(MemoryRegion region, MemorySegment tokens, int count, long bytes) {
    long stride = bytes + (random.chance(50) ? 0 : random.between(1, MOST_SPARE));
    long offset = random.between(0, MOST_SPARE);
    long length = count == 0 ? 0 : (count - 1) * stride + bytes;
    Given given = new Given(region, new MemorySlice(region, offset, length), stride);
    given.spoil();
    for (int token = 0; token < count; token++) {
      MemorySegment.copy(tokens, token * bytes, given.memory(), offset + token * stride, bytes);
    }
    return given;
  }

  /** They were sent, or never are. */
  Mono<Void> giveBack(int engine, Given given) {
    return Mono.defer(() -> {
      synchronized (this) {
        if (given.region().isClosed() || random.chance(20)) {
          return given.region().close();
        }
        free(engine).addLast(given.region());
        return Mono.empty();
      }
    });
  }

  /** Closes what is not in use of one engine. */
  synchronized Mono<Void> close(int engine) {
    List<MemoryRegion> all = new ArrayList<>(free(engine));
    free(engine).clear();
    return Flux.fromIterable(all).flatMap(MemoryRegion::close).then();
  }

  /** Closes what is not in use. */
  Mono<Void> close() {
    return Flux.range(0, engines.size()).flatMap(engine -> close(engine).onErrorComplete()).then();
  }
}
