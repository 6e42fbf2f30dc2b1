package io.reactivetransfer.tools.jmh;

import io.reactivetransfer.EngineOptions;
import io.reactivetransfer.IdleStrategy;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.engine.TransferEngineBuilder;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.Objects;
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
import reactor.core.Disposable;
import reactor.core.scheduler.Schedulers;

/**
 * How long it takes from a write to a watched word until its subscriber has been told, and the
 * writer has seen that: the NIC's thread spins, and the writer spins beside it.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.SampleTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(3)
public class WatchBenchmark {

  private static final VarHandle WORD = ValueLayout.JAVA_LONG.varHandle();

  /** Where signals come: on the NIC's thread, or where they come by default. */
  @Param({"immediate", "parallel"})
  public String signals = "immediate";

  private final MemorySegment word = Arena.global().allocate(ValueLayout.JAVA_LONG);
  private TransferEngine engine;
  private Disposable watching;
  private long written;
  private volatile long told;

  /** For JMH. */
  @SuppressWarnings("NullAway.Init") // JMH calls open() first
  public WatchBenchmark() {}

  /** Opens the engine and begins to watch. */
  @Setup
  public void open() {
    EngineOptions options =
        EngineOptions.builder()
            .nics(1)
            .idle(IdleStrategy.spin())
            .signalScheduler(signals.equals("parallel") ? null : Schedulers.immediate())
            .build();
    engine =
        Objects.requireNonNull(
            TransferEngineBuilder.create()
                .backend(new InstantBackend(null))
                .options(options)
                .open()
                .block());
    watching = engine.watch(word).subscribe(change -> told = change.current());
  }

  /** Closes the engine. */
  @TearDown
  public void close() {
    watching.dispose();
    engine.close().block();
  }

  /** From the write to the echo of it. */
  @Benchmark
  public void reaction() {
    long next = ++written;
    WORD.setRelease(word, 0L, next);
    while (told != next) {
      Thread.onSpinWait();
    }
  }
}
