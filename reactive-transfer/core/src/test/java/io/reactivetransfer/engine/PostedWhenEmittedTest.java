package io.reactivetransfer.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.EngineOptions;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.RemoteRegion;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.Write;
import io.reactivetransfer.engine.base.Probe;
import java.lang.foreign.Arena;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/** What upstream emits from within a request is posted then, not when the request is over. */
class PostedWhenEmittedTest {

  private static final int WINDOW = 256;
  private static final int POOL = 32;
  private static final int WRITES = 2_000;
  private static final Duration LONG = Duration.ofSeconds(50);
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  @RegisterExtension final EngineByHand hand = new EngineByHand();

  private MemoryRegion source;

  private Write write() {
    return Write.of(source.slice(0, 10), hand.remote(1).slice(0, 10));
  }

  private void open() {
    hand.open(1, options -> options.window(WINDOW));
    source = hand.region();
  }

  @Test
  void whileTheNextIsComputed() {
    open();
    AtomicInteger computed = new AtomicInteger();
    Flux<Write> writes =
        Flux.range(0, 5)
            .map(i -> {
              hand.turnWorker(); // time passes
              assertThat(hand.posted()).as("posted before number %s is there", i).hasSize(i);
              computed.incrementAndGet();
              return write();
            });
    Probe<Write> probe = hand.probe(hand.engine().submit(writes));
    assertThat(computed).hasValue(5);
    hand.turn();
    hand.settle();
    assertThat(probe.assertComplete().count()).isEqualTo(5);
  }

  /**
   * Upstream waits, within the request, for what downstream gives back, on the thread that
   * subscribes and later on those of the signal scheduler.
   */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void whileUpstreamWaitsForWhatIsGivenBack(boolean threadsInTurn) throws Exception {
    Scheduler signals =
        threadsInTurn
            ? Schedulers.newParallel(2, Thread::new)
            : Schedulers.newBoundedElastic(8, 1_000, "signals");
    ScriptedBackend backend = new ScriptedBackend(null);
    EngineOptions options = EngineOptions.builder().window(WINDOW).signalScheduler(signals).build();
    TransferEngine engine =
        TransferEngineBuilder.create().backend(backend).options(options).open().block(LONG);
    try {
      ScriptedNic nic = backend.opened().getFirst();
      engine.scheduler().schedule(() -> nic.completing = true);
      MemoryRegion region = engine.register(Arena.ofAuto().allocate(100)).block(LONG);
      RemoteRegion target =
          engine.remote(EngineByHand.descriptor(EngineByHand.addressOf(1), 1, 100));
      Write write = Write.of(region.whole(), target.whole());
      Semaphore pool = new Semaphore(POOL);
      Probe<Write> probe = Probe.<Write>unbounded().onItem((each, page) -> pool.release());
      engine.submit(pages(pool, write)).subscribe(probe);
      assertThat(probe.awaitEnd(LONG.toSeconds())).isTrue();
      assertThat(probe.assertComplete().count()).isEqualTo(WRITES);
      assertThat(backend.violations()).isEmpty();
    } finally {
      engine.close().block(LONG);
      signals.dispose();
    }
  }

  private static Flux<Write> pages(Semaphore pool, Write write) {
    AtomicInteger taken = new AtomicInteger();
    return Flux.generate(sink -> {
      if (taken.getAndIncrement() == WRITES) {
        sink.complete();
        return;
      }
      try {
        if (pool.tryAcquire(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
          sink.next(write);
        } else {
          sink.error(new IllegalStateException("nothing came back"));
        }
      } catch (InterruptedException e) {
        sink.error(e);
      }
    });
  }
}
