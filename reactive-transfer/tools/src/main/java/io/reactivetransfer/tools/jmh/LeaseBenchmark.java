package io.reactivetransfer.tools.jmh;

import io.reactivetransfer.EngineOptions;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.engine.TransferEngineBuilder;
import io.reactivetransfer.weights.version.VersionLease;
import io.reactivetransfer.weights.version.WeightsBuffer;
import io.reactivetransfer.weights.version.WeightsRank;
import java.lang.foreign.Arena;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Threads;
import org.openjdk.jmh.annotations.Warmup;

/**
 * How long a reader of weights takes for a lease and its end, which is what a batch costs it. Two
 * readers share the one counter of a version.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(3)
public class LeaseBenchmark {

  private static final int BYTES = 4_096;

  private TransferEngine engine;
  private WeightsRank rank;

  /** For JMH. */
  @SuppressWarnings("NullAway.Init") // JMH calls open() first
  public LeaseBenchmark() {}

  /** Opens a rank that serves a version. */
  @Setup
  public void open() {
    engine =
        Objects.requireNonNull(
            TransferEngineBuilder.create()
                .backend(new InstantBackend(null))
                .options(EngineOptions.builder().nics(1).build())
                .open()
                .block());
    rank =
        Objects.requireNonNull(
            WeightsRank.on(engine, "rank")
                .buffer(WeightsBuffer.of(Arena.ofAuto().allocate(BYTES, 64)))
                .version(1)
                .open()
                .block());
  }

  /** Closes both. */
  @TearDown
  public void close() {
    rank.close().block();
    engine.close().block();
  }

  /** Nobody else reads. */
  @Benchmark
  @Threads(1)
  public long oneReader() {
    return read();
  }

  /** Another thread does the same. */
  @Benchmark
  @Threads(2)
  public long twoReaders() {
    return read();
  }

  private long read() {
    try (VersionLease lease = rank.lease()) {
      return lease.version();
    }
  }
}
