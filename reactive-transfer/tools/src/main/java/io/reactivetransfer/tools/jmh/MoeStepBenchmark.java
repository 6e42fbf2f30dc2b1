package io.reactivetransfer.tools.jmh;

import io.reactivetransfer.tools.moe.Moments;
import io.reactivetransfer.tools.moe.OneRank;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * What a step of experts costs on the host, of one rank among many over a NIC that moves nothing:
 * the whole of it, by one thread; with {@code -prof gc} what it allocates. How long it takes until
 * the first write is posted, and the last one, is said by {@code host-work}.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(3)
public class MoeStepBenchmark {

  /** Ranks of the group. */
  @Param({"64"})
  public int ranks = 64;

  /** Tokens of 16 bytes that each has in a step, for 8 experts each. */
  @Param({"128"})
  public int tokens = 128;

  private OneRank rank;

  /** For JMH. */
  @SuppressWarnings("NullAway.Init") // JMH calls open() first
  public MoeStepBenchmark() {}

  /** All ranks join, and all but one leave. */
  @Setup
  public void open() {
    rank = OneRank.open(ranks, tokens, true);
  }

  /** Closes the engine. */
  @TearDown
  public void close() {
    rank.close();
  }

  /** One step, all four halves of it. */
  @Benchmark
  public void step() {
    rank.step(Moments.NONE);
  }
}
