package io.reactivetransfer.examples.weights;

import io.reactivetransfer.EngineOptions;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.engine.TransferEngineBuilder;
import io.reactivetransfer.tools.ByteCount;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.Objects;
import reactor.core.publisher.Mono;

/** What each worker has: an engine, and memory. */
final class Node implements AutoCloseable {

  static final Duration SETUP = Duration.ofSeconds(30);

  private static final long ALIGNMENT = 4096;

  final TransferEngine engine;
  private final Arena arena = Arena.ofShared();

  private Node(TransferEngine engine) {
    this.engine = engine;
  }

  static Node open(Plan plan) {
    EngineOptions options =
        EngineOptions.builder()
            .nics(plan.nics())
            .livenessDeadline(plan.liveness())
            .signalScheduler(plan.signals().scheduler())
            .build();
    return new Node(
        await(TransferEngineBuilder.create().backend(plan.backend()).options(options).open()));
  }

  MemorySegment allocate(long bytes) {
    try {
      return arena.allocate(bytes, ALIGNMENT);
    } catch (OutOfMemoryError e) {
      throw new IllegalStateException(
          "no native memory for " + new ByteCount(bytes) + ": " + e.getMessage(), e);
    }
  }

  static <T> T await(Mono<T> mono) {
    return Objects.requireNonNull(mono.block(SETUP));
  }

  /** The memory goes only when no NIC can touch it any more. */
  @Override
  public void close() {
    engine.close().block(SETUP);
    arena.close();
  }
}
