package io.reactivetransfer.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.reactivetransfer.EngineOptions;
import io.reactivetransfer.EngineStats;
import io.reactivetransfer.Imm;
import io.reactivetransfer.ImmCounter;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.RemoteRegion;
import io.reactivetransfer.Transfer;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.Write;
import io.reactivetransfer.WriteImm;
import io.reactivetransfer.engine.ChaosNic.Chances;
import io.reactivetransfer.engine.ChaosNic.ChaosBackend;
import io.reactivetransfer.engine.base.Probe;
import io.reactivetransfer.engine.base.WireImm;
import java.lang.foreign.Arena;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.scheduler.Schedulers;

/**
 * Real threads, random cancels, NICs that refuse and fail: one end for each subscription, nothing
 * left at the end. The seed decides what is asked for; who comes first is up to the machine.
 */
class SubmissionStressTest {

  private static final Duration LONG = Duration.ofSeconds(50);
  private static final Duration SOON = Duration.ofSeconds(20);
  private static final int THREADS = 3;

  private final long seed = new Random().nextLong();
  private final List<Probe<?>> probes = new ArrayList<>();
  private ChaosBackend backend;
  private TransferEngine engine;
  private MemoryRegion source;
  private List<RemoteRegion> targets;

  private void open(Chances chances, UnaryOperator<EngineOptions.Builder> options) {
    backend = new ChaosBackend(seed, chances);
    engine =
        TransferEngineBuilder.create()
            .backend(backend)
            .options(options.apply(EngineOptions.builder()).build())
            .open()
            .block(LONG);
    source = engine.register(Arena.ofAuto().allocate(1 << 16)).block(LONG);
    targets =
        List.of(1, 2, 3).stream()
            .map(i -> engine.remote(EngineByHand.descriptor(EngineByHand.addressOf(i), 2, 1 << 16)))
            .toList();
  }

  @AfterEach
  void leavesNothingBehind() {
    engine.close().block(LONG);
    // The last signals may still be on their way through the signal scheduler. They share one time
    // limit: with one for
    // each, a defect that many streams have would take longer to be told than the build may.
    await("seed " + seed).atMost(SOON).untilAsserted(() -> probes.forEach(Probe::assertLawful));
    assertThat(engine.stats())
        .as("seed %d", seed)
        .extracting(
            EngineStats::transfersInFlight,
            EngineStats::writesInFlight,
            EngineStats::openRegions,
            EngineStats::registeredBytes,
            EngineStats::pendingClaims)
        .containsExactly(0L, 0L, 0L, 0L, 0L);
    assertThat(backend.violations).isEmpty();
  }

  private <T> Probe<T> keep(Probe<T> probe) {
    synchronized (probes) {
      probes.add(probe);
    }
    return probe;
  }

  private Transfer write(Random random) {
    int length = random.nextInt(10) == 0 ? 20_000 : random.nextInt(900);
    RemoteRegion target = targets.get(random.nextInt(targets.size()));
    return random.nextBoolean()
        ? Write.of(source.slice(0, length), target.slice(0, length))
        : WriteImm.of(source.slice(0, length), target.slice(0, length), Imm.of(1));
  }

  /** A stream that its subscriber may leave at any moment. */
  private Probe<Transfer> stream(Random random) {
    int count = random.nextInt(100);
    Random own = new Random(random.nextLong());
    Flux<Transfer> writes = Flux.range(0, count).map(i -> write(own));
    if (random.nextBoolean()) {
      writes = writes.publishOn(Schedulers.parallel(), 8);
    }
    int leaveAt = random.nextInt(3) == 0 ? 1 + random.nextInt(40) : -1;
    long step = random.nextBoolean() ? Long.MAX_VALUE : 1 + random.nextInt(5);
    Probe<Transfer> probe = keep(new Probe<>(step));
    AtomicInteger seen = new AtomicInteger();
    probe.onItem((p, item) -> {
      int number = seen.incrementAndGet();
      if (number == leaveAt) {
        p.cancel();
      } else if (step != Long.MAX_VALUE && number % step == 0) {
        p.request(step);
      }
    });
    engine.submit(writes).subscribe(probe);
    return probe;
  }

  private void inThreads(Consumer<Random> work) throws InterruptedException {
    List<Thread> threads = new ArrayList<>();
    CountDownLatch start = new CountDownLatch(1);
    List<Throwable> failures = new ArrayList<>();
    for (int t = 0; t < THREADS; t++) {
      Random random = new Random(seed * 31 + t);
      threads.add(
          Thread.ofPlatform()
              .start(() -> {
                try {
                  start.await();
                  work.accept(random);
                } catch (Throwable e) {
                  synchronized (failures) {
                    failures.add(e);
                  }
                }
              }));
    }
    start.countDown();
    for (Thread thread : threads) {
      thread.join();
    }
    assertThat(failures).as("seed %d", seed).isEmpty();
  }

  private void awaitEnds(String what) {
    List<Probe<?>> all = List.copyOf(probes);
    await(what)
        .atMost(LONG)
        .until(() -> all.stream().allMatch(each -> each.isCancelled() || each.terminals() > 0));
  }

  @Test
  void everyStreamEndsOnce() throws InterruptedException {
    open(new Chances(100, 1, 1), o -> o.window(16).nicDepth(8).peerDepth(24));
    inThreads(random -> {
      List<Probe<Transfer>> own = new ArrayList<>();
      for (int i = 0; i < 80; i++) {
        own.add(stream(random));
        if (random.nextInt(3) == 0) {
          own.get(random.nextInt(own.size())).cancel();
        }
      }
    });
    awaitEnds("seed " + seed);
    await("seed " + seed).atMost(LONG).until(() -> engine.stats().transfersInFlight() == 0);
    source.quiesced().block(LONG);
  }

  @Test
  void everyStreamEndsOnceWhenTheEngineCloses() throws InterruptedException {
    for (int round = 0; round < 15; round++) {
      open(new Chances(100, 1, 1), o -> o.window(4));
      AtomicInteger begun = new AtomicInteger();
      inThreads(random -> {
        for (int i = 0; i < 30; i++) {
          if (begun.incrementAndGet() == 45) {
            Probe<Void> closing = keep(Probe.unbounded());
            engine.close().subscribe(closing);
          }
          stream(random);
          Probe<Long> rounds = keep(new Probe<>(random.nextInt(3)));
          engine.counter(Imm.of(2)).every(1).subscribe(rounds);
          Probe<Void> claim = keep(Probe.unbounded());
          engine.counter(Imm.of(3)).next(5).subscribe(claim);
        }
      });
      engine.close().block(LONG);
      awaitEnds("seed " + seed + ", round " + round);
    }
  }

  /** What arrived was claimed, or is there to be claimed: cancelling loses nothing. */
  @Test
  void noArrivalIsLostToACancel() throws InterruptedException {
    open(new Chances(0, 0, 0), UnaryOperator.identity());
    ImmCounter counter = engine.counter(Imm.of(7));
    int each = 2_000;
    inThreads(random -> {
      List<Probe<Void>> waiting = new ArrayList<>();
      for (int i = 0; i < each; i++) {
        backend.opened.get(random.nextInt(2)).arriving.add(WireImm.encode(7, 1));
        Probe<Void> claim = keep(Probe.unbounded());
        counter.next(1).subscribe(claim);
        waiting.add(claim);
        if (random.nextBoolean()) {
          waiting.remove(random.nextInt(waiting.size())).cancel();
        }
      }
      waiting.forEach(Probe::cancel);
    });
    await("seed " + seed)
        .atMost(LONG)
        .until(() -> engine.stats().arrivals() == (long) THREADS * each);
    await("seed " + seed).atMost(LONG).until(() -> engine.stats().pendingClaims() == 0);
    await("seed " + seed)
        .atMost(LONG)
        .untilAsserted(() -> {
          long left = engine.counter(Imm.of(7)).discard().block(LONG);
          for (long i = 0; i < left; i++) {
            backend.opened.getFirst().arriving.add(WireImm.encode(7, 1)); // put back
          }
          long met = probes.stream().filter(Probe::isComplete).count();
          assertThat(met + left).isEqualTo((long) THREADS * each);
        });
  }

  /** The rounds of one subscription are numbered without gaps, whoever else claims. */
  @Test
  void roundsAreCountedWithoutGaps() throws InterruptedException {
    open(new Chances(0, 0, 0), UnaryOperator.identity());
    ImmCounter counter = engine.counter(Imm.of(9));
    List<Probe<Long>> rounds = new ArrayList<>();
    for (int i = 0; i < THREADS; i++) {
      Probe<Long> probe = keep(new Probe<Long>(1).onItem((p, round) -> p.request(1)));
      rounds.add(probe);
      counter.every(2).subscribe(probe);
    }
    int writes = 3_000;
    for (int i = 0; i < writes; i++) {
      backend.opened.get(i % 2).arriving.add(WireImm.encode(9, 1));
    }
    await("seed " + seed)
        .atMost(LONG)
        .until(() -> rounds.stream().mapToInt(Probe::count).sum() == writes / 2);
    for (Probe<Long> probe : rounds) {
      for (int i = 0; i < probe.count(); i++) {
        assertThat(probe.items().get(i)).isEqualTo(i + 1L);
      }
    }
  }
}
