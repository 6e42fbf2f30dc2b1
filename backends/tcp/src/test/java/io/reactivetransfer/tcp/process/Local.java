package io.reactivetransfer.tcp.process;

import io.reactivetransfer.EngineOptions;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.WriteImm;
import io.reactivetransfer.spi.Backend;
import io.reactivetransfer.tck.process.LocalEngine;
import io.reactivetransfer.tcp.TcpBackend;
import java.lang.foreign.MemorySegment;
import java.time.Duration;

/** The engine of the test's own process, with one memory. */
final class Local extends LocalEngine {

  static final Duration LIVENESS = Duration.ofSeconds(3);

  /** What a test waits at most. */
  static final Duration LONG = Duration.ofSeconds(40);

  /**
   * In how much time a silent peer must be found. The engine promises the deadline and a quarter;
   * the rest is for a machine that has a lot else to do.
   */
  static final Duration FOUND = LIVENESS.multipliedBy(10);

  /** A liveness deadline for where nobody is to be found. */
  static final Duration CALM = LONG;

  final MemorySegment memory = memories.getFirst();
  final MemoryRegion region = regions.getFirst();

  private Local(int bytes, EngineOptions.Builder options, Backend backend) {
    super(backend, options.build(), 1, bytes, LONG);
  }

  static Local open(int bytes) {
    return open(bytes, options().livenessDeadline(CALM));
  }

  static Local open(int bytes, EngineOptions.Builder options) {
    return open(bytes, options, new TcpBackend());
  }

  static Local open(int bytes, EngineOptions.Builder options, Backend backend) {
    return new Local(bytes, options, backend);
  }

  static EngineOptions.Builder options() {
    return EngineOptions.builder()
        .livenessDeadline(LIVENESS)
        .connectTimeout(LONG)
        .closeTimeout(Duration.ofSeconds(1))
        .minPieceBytes(4_096);
  }

  /** Writes, and again if it failed: where it is not the question whether that works at once. */
  void write(WriteImm write) {
    engine.submit(write).retry(100).block(LONG);
  }
}
