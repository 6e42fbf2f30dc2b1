package io.reactivetransfer.tck;

import io.reactivetransfer.Access;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.RemoteRegion;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.TransferFailedException;
import io.reactivetransfer.Write;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Many writers side by side into one region that is revoked meanwhile. Each has a range of its own,
 * writes it again and again with another number at its end, and looks for that number there
 * whenever it is told that the write is done; nobody else writes there by then. A write that fails
 * is followed by one under the name that the region has by then.
 */
final class Lanes {

  private static final int COUNT = 32;

  /** Most are of a few bytes, so that there are many at once. */
  private static final int SHORT = 8;

  private static final int LONG = 5_000;

  private static final int LONG_ONES = 4;
  private static final int BYTES = (COUNT - LONG_ONES) * SHORT + LONG_ONES * LONG;

  private final Stage stage;
  private final TransferEngine origin;
  private final MemorySegment numbers;
  private final MemoryRegion source;
  private final Plot target;
  private final MemorySegment memory;
  private final AtomicLong done = new AtomicLong();
  private final Probe<Void> end;
  private volatile RemoteRegion view;
  private volatile boolean stopped;

  /** From one engine to another; begins at once. */
  Lanes(Stage stage, TransferEngine origin, TransferEngine target) {
    this.stage = stage;
    this.origin = origin;
    this.source = stage.plot(origin, BYTES, Access.LOCAL).region();
    this.numbers = Plot.memoryOf(source);
    this.target = stage.plot(target, BYTES);
    this.memory = Plot.memoryOf(this.target.region());
    this.view = stage.seenBy(origin, this.target);
    List<Flux<Void>> lanes = new ArrayList<>();
    for (int i = 0, at = 0; i < COUNT; i++) {
      int length = i < LONG_ONES ? LONG : SHORT;
      lanes.add(lane(at, length));
      at += length;
    }
    end = stage.probe("writes side by side", Flux.merge(Flux.fromIterable(lanes), COUNT).then());
  }

  private Flux<Void> lane(int at, int length) {
    AtomicLong number = new AtomicLong();
    return Mono.defer(() -> write(at, length, number.incrementAndGet())).repeat(() -> !stopped);
  }

  private Mono<Void> write(int at, int length, long number) {
    long last = (long) at + length - Long.BYTES;
    numbers.set(ValueLayout.JAVA_LONG_UNALIGNED, last, number);
    return origin
        .submit(Write.of(source.slice(at, length), view.slice(at, length)))
        .doOnNext(_ -> expect(last, number))
        .onErrorComplete(TransferFailedException.class)
        .then();
  }

  private void expect(long at, long number) {
    long there = memory.get(ValueLayout.JAVA_LONG_UNALIGNED, at);
    if (there != number) {
      throw new AssertionError(
          "a write of " + number + " was reported as done: expected it in memory, got " + there);
    }
    done.incrementAndGet();
  }

  /** Waits until so many more writes are done, and then revokes the region in their midst. */
  void revokeAfter(int writes) {
    long enough = done.get() + writes;
    stage
        .patience()
        .until(writes + " more writes done", () -> done.get() >= enough || end.isTerminated());
    end.assertPending();
    stage.complete(target.region().revoke());
    view = stage.seenBy(origin, target);
  }

  /** Begins no more writes, and waits for the end of those that are under way. */
  void stop() {
    stopped = true;
    end.awaitCompletion();
  }
}
