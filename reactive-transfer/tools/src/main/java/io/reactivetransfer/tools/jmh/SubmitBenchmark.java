package io.reactivetransfer.tools.jmh;

import io.reactivetransfer.EngineOptions;
import io.reactivetransfer.IdleStrategy;
import io.reactivetransfer.Imm;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.PageList;
import io.reactivetransfer.PagedWrite;
import io.reactivetransfer.RegionDescriptor;
import io.reactivetransfer.RemoteRegion;
import io.reactivetransfer.Transfer;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.WriteImm;
import io.reactivetransfer.engine.TransferEngineBuilder;
import java.lang.foreign.Arena;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscription;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.scheduler.Schedulers;

/**
 * What one operation costs at the origin, from the prepared transfer through {@code submit} to its
 * emission, over NICs that complete everything at the next poll.
 *
 * <ul>
 *   <li>{@code byHand}: worker and signals on the benchmark's own thread: the cost of the code;
 *   <li>{@code immediate}: a NIC thread, signals on it;
 *   <li>{@code parallel}: a NIC thread, signals on {@code Schedulers.parallel()}: the default.
 * </ul>
 *
 * <p>{@code -p recorder=none,events,recording,meters} says what somebody who listens to the engine
 * adds to that: see {@link #recorder}, and {@link RecorderCostCommand} for differences of a
 * nanosecond.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(3)
public class SubmitBenchmark {

  static final int WRITES = 100_000;
  private static final int PAGES = 10_000;
  private static final int PREPARED = 1_024;
  static final int STREAMS = 64;

  /** Who runs the worker, and where signals come. */
  @Param({"byHand", "immediate", "parallel"})
  public String threads = "byHand";

  /** NICs that the engine spreads over. */
  @Param({"1"})
  public int nics = 1;

  /**
   * Who listens to the engine: {@code none}; {@code events}, those of Flight Recorder while nothing
   * records; {@code recording}, the same while they are recorded; {@code meters}, those of
   * Micrometer, with histograms.
   */
  @Param({"none"})
  public String recorder = "none";

  /** Less than the default in a test, which has no time to wait for that. */
  Duration livenessDeadline = EngineOptions.defaults().livenessDeadline();

  private final HandTurnedLoop loop = new HandTurnedLoop();
  private boolean byHand;
  private TransferEngine engine;
  private List<Publisher<WriteImm>> writes;
  private List<Publisher<WriteImm>> singles;
  private List<Publisher<PagedWrite>> pages;

  /** Who listens now. */
  MeasuredRecorder measured;

  /** For JMH. */
  @SuppressWarnings("NullAway.Init") // JMH calls open() first
  public SubmitBenchmark() {}

  /** Opens the engine and prepares the transfers. */
  @Setup
  public void open() {
    byHand = threads.equals("byHand");
    measured = MeasuredRecorder.of(recorder);
    EngineOptions options =
        EngineOptions.builder()
            .nics(nics)
            .livenessDeadline(livenessDeadline)
            .idle(IdleStrategy.spin())
            .recorder(measured.recorder())
            .signalScheduler(threads.equals("parallel") ? null : Schedulers.immediate())
            .build();
    engine =
        await(
            TransferEngineBuilder.create()
                .backend(new InstantBackend(byHand ? loop : null))
                .options(options)
                .open()
                .toFuture());
    MemoryRegion source = await(engine.register(Arena.global().allocate(1 << 20)).toFuture());
    RegionDescriptor descriptor = source.descriptor();
    RemoteRegion target = engine.remote(descriptor);
    WriteImm[] prepared = new WriteImm[PREPARED];
    for (int i = 0; i < PREPARED; i++) {
      prepared[i] =
          WriteImm.of(source.slice(i * 1_000L, 64), target.slice(i * 1_000L, 64), Imm.of(i));
    }
    writes = List.of(engine.submit(new PreparedWrites(prepared, WRITES)));
    singles = Stream.of(prepared).limit(STREAMS).<Publisher<WriteImm>>map(engine::submit).toList();
    PageList list = PageList.range(0, PAGES);
    pages =
        List.of(
            engine.submit(
                Flux.just(
                    PagedWrite.of(64, source.whole(), list, target.whole(), list, Imm.of(1)))));
  }

  /** Closes the engine, and ends the recording. */
  @TearDown
  public void close() {
    try {
      await(engine.close().thenReturn(true).toFuture());
    } finally {
      measured.close();
    }
  }

  /** A stream of prepared writes, for each write. */
  @Benchmark
  @OperationsPerInvocation(WRITES)
  public void writeImm() throws InterruptedException {
    run(writes);
  }

  /**
   * Prepared writes, each a stream of its own, 64 at a time, for each write: a recorder is told of
   * streams, so what it costs shows most here.
   */
  @Benchmark
  @OperationsPerInvocation(STREAMS)
  public void singleWrite() throws InterruptedException {
    run(singles);
  }

  /** One paged write of 10,000 pages, for each page. */
  @Benchmark
  @OperationsPerInvocation(PAGES)
  public void pagedWrite() throws InterruptedException {
    run(pages);
  }

  private void run(List<? extends Publisher<? extends Transfer>> streams)
      throws InterruptedException {
    Ends ends = new Ends(streams.size());
    for (Publisher<? extends Transfer> stream : streams) {
      stream.subscribe(new Counting(ends));
    }
    if (byHand) {
      while (ends.missing.getCount() > 0) {
        loop.turn();
      }
    }
    ends.missing.await();
    Throwable failure = ends.failure;
    if (failure != null) {
      throw new IllegalStateException("a transfer failed", failure);
    }
  }

  private <T> T await(CompletableFuture<@Nullable T> future) {
    while (byHand && !future.isDone()) {
      loop.turn();
    }
    return Objects.requireNonNull(future.join());
  }

  /** Of streams, how many have not ended, and why one has failed. */
  private static final class Ends {
    private final CountDownLatch missing;
    private volatile @Nullable Throwable failure;

    Ends(int streams) {
      missing = new CountDownLatch(streams);
    }
  }

  /** The cheapest subscriber that knows when it is over. */
  private static final class Counting extends BaseSubscriber<Transfer> {
    private final Ends ends;

    Counting(Ends ends) {
      this.ends = ends;
    }

    @Override
    protected void hookOnSubscribe(Subscription subscription) {
      requestUnbounded();
    }

    @Override
    protected void hookOnError(Throwable reason) {
      ends.failure = reason;
      ends.missing.countDown();
    }

    @Override
    protected void hookOnComplete() {
      ends.missing.countDown();
    }
  }
}
