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
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
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
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(3)
public class SubmitBenchmark {

  private static final int WRITES = 100_000;
  private static final int PAGES = 10_000;
  private static final int PREPARED = 1_024;

  /** Who runs the worker, and where signals come. */
  @Param({"byHand", "immediate", "parallel"})
  public String threads = "byHand";

  /** NICs that the engine spreads over. */
  @Param({"1"})
  public int nics = 1;

  /** Less than the default in a test, which has no time to wait for that. */
  Duration livenessDeadline = EngineOptions.defaults().livenessDeadline();

  private final HandTurnedLoop loop = new HandTurnedLoop();
  private boolean byHand;
  private TransferEngine engine;
  private Flux<WriteImm> writes;
  private Flux<PagedWrite> pages;

  /** For JMH. */
  @SuppressWarnings("NullAway.Init") // JMH calls open() first
  public SubmitBenchmark() {}

  /** Opens the engine and prepares the transfers. */
  @Setup
  public void open() {
    byHand = threads.equals("byHand");
    EngineOptions options =
        EngineOptions.builder()
            .nics(nics)
            .livenessDeadline(livenessDeadline)
            .idle(IdleStrategy.spin())
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
    writes = engine.submit(new PreparedWrites(prepared, WRITES));
    PageList list = PageList.range(0, PAGES);
    pages =
        engine.submit(
            Flux.just(PagedWrite.of(64, source.whole(), list, target.whole(), list, Imm.of(1))));
  }

  /** Closes the engine. */
  @TearDown
  public void close() {
    await(engine.close().thenReturn(true).toFuture());
  }

  /** A stream of prepared writes, for each write. */
  @Benchmark
  @OperationsPerInvocation(WRITES)
  public void writeImm() throws InterruptedException {
    run(writes);
  }

  /** One paged write of 10,000 pages, for each page. */
  @Benchmark
  @OperationsPerInvocation(PAGES)
  public void pagedWrite() throws InterruptedException {
    run(pages);
  }

  private void run(Flux<? extends Transfer> transfers) throws InterruptedException {
    Counting<Transfer> counting = new Counting<>();
    transfers.subscribe(counting);
    if (byHand) {
      while (counting.done.getCount() > 0) {
        loop.turn();
      }
    }
    counting.done.await();
    Throwable failure = counting.failure;
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

  /** The cheapest subscriber that knows when it is over. */
  private static final class Counting<T> extends BaseSubscriber<T> {
    private final CountDownLatch done = new CountDownLatch(1);
    private volatile @Nullable Throwable failure;

    @Override
    protected void hookOnSubscribe(Subscription subscription) {
      requestUnbounded();
    }

    @Override
    protected void hookOnError(Throwable reason) {
      failure = reason;
      done.countDown();
    }

    @Override
    protected void hookOnComplete() {
      done.countDown();
    }
  }
}
