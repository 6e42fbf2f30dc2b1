package io.reactivetransfer.tck;

import io.reactivetransfer.Imm;
import io.reactivetransfer.MemorySlice;
import io.reactivetransfer.RemoteRegion;
import io.reactivetransfer.RemoteSlice;
import io.reactivetransfer.Transfer;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.Write;
import io.reactivetransfer.WriteImm;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import reactor.core.publisher.Flux;

/**
 * A stream of writes into one region that goes on until it is told to stop: short and long ones,
 * every other one with an immediate of the stream's own.
 */
final class Load {

  /** From a few bytes that travel with others to as much as a NIC reads straight to its place. */
  private static final int[] LENGTHS = {8, 300, 4_104, 100_000};

  /** How much memory it reads and writes. */
  static final long BYTES = LENGTHS[LENGTHS.length - 1];

  private final Plot from;
  private final Plot to;
  private final RemoteRegion view;
  private final Imm imm;
  private final AtomicLong done = new AtomicLong();
  private final Probe<Void> stream;
  private volatile boolean stopped;
  private int made;

  /**
   * Begins at once.
   *
   * @param from what is written, again and again
   * @param to where
   */
  Load(Stage stage, Plot from, Plot to) {
    this.from = from;
    this.to = to;
    this.imm = stage.imm();
    TransferEngine origin = from.owner();
    this.view = stage.seenBy(origin, to);
    Flux<Transfer> writes =
        Flux.generate(sink -> {
          if (stopped) {
            sink.complete();
          } else {
            sink.next(next());
          }
        });
    this.stream =
        stage.probe(
            "a stream of writes",
            origin.submit(writes).doOnNext(_ -> done.incrementAndGet()).then());
  }

  private Transfer next() {
    int number = made++;
    int length = LENGTHS[number / 2 % LENGTHS.length];
    MemorySlice source = from.slice(0, length);
    RemoteSlice target = view.slice(0, length);
    return number % 2 == 0 ? Write.of(source, target) : WriteImm.of(source, target, imm);
  }

  /** The same, into other memory of the same target. */
  Load elsewhere(Stage stage) {
    return new Load(stage, from, stage.plot(to.owner(), BYTES));
  }

  /** Where its writes go. */
  Plot to() {
    return to;
  }

  /** How its stream ends. */
  Probe<Void> stream() {
    return stream;
  }

  /** Waits until so many more writes of each are done; fails if a stream ends before. */
  static void awaitMore(Stage stage, List<Load> loads, int writes) {
    // What each must come to is taken down for all before the first is waited for: they share a
    // NIC, and one after the other it would take as many times as long as there are streams.
    Map<Load, Long> enough = new LinkedHashMap<>();
    loads.forEach(load -> enough.put(load, load.done.get() + writes));
    enough.forEach((load, count) -> load.await(stage, count));
  }

  private void await(Stage stage, long count) {
    stage
        .patience()
        .until(count + " writes done", () -> done.get() >= count || stream.isTerminated());
    stream.assertPending();
  }

  /** Makes no more writes; the stream completes when those that were made are done. */
  void stop() {
    stopped = true;
  }
}
