package io.reactivetransfer.examples.kvcache;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.EngineOptions;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.PageList;
import io.reactivetransfer.PeerAddress;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.engine.TransferEngineBuilder;
import io.reactivetransfer.kvcache.FinishedLayer;
import io.reactivetransfer.kvcache.HandOverException;
import io.reactivetransfer.kvcache.KvCache;
import io.reactivetransfer.kvcache.KvMemory;
import io.reactivetransfer.kvcache.KvOrder;
import io.reactivetransfer.kvcache.KvPrefill;
import io.reactivetransfer.tck.process.JavaProcess;
import java.lang.foreign.Arena;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.api.Timeout;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * A decode process writes nothing, and prefill writes nothing to it at the moment: its end is heard
 * of at once, as that of a prefill process is which writes all the time. Silence and deadlines are
 * far away, so that nothing but the end of its control connection can say so.
 */
// A usual build has a receiver that is lost by the simulation.
@Tag("merge")
@Timeout(240)
class LostReceiverTest {

  private static final Duration PATIENCE = Duration.ofSeconds(50);

  /** From the end of the process on; on a machine that does other things, too. */
  private static final Duration AT_ONCE = Duration.ofSeconds(1);

  private static final EngineOptions OPTIONS =
      EngineOptions.builder()
          .livenessDeadline(Duration.ofSeconds(100))
          .transferDeadline(Duration.ofSeconds(100))
          .build();

  @Test
  void isMissedAtOnceAsOneThatSendsIs(TestReporter reporter) throws Exception {
    isMissedAtOnce("tcp", reporter);
  }

  // In a usual build the same is tried over tcp, whose control connection is that of libfabric,
  // too.
  @Test
  @Tag("nightly")
  void isMissedAtOnceOverLibfabric(TestReporter reporter) throws Exception {
    isMissedAtOnce("libfabric", reporter);
  }

  private static void isMissedAtOnce(String backend, TestReporter reporter) throws Exception {
    InstalledBackend.require(backend);
    try (Arena arena = Arena.ofShared()) {
      TransferEngine engine =
          TransferEngineBuilder.create().backend(backend).options(OPTIONS).open().block();
      MemoryRegion region = engine.register(arena.allocate(VictimNode.LAYOUT.bytes(0), 64)).block();
      KvMemory memory = KvMemory.of(region, VictimNode.LAYOUT);
      KvCache cache = KvCache.open(engine);
      try {
        Duration sender = missedSender(backend, engine, cache, memory);
        Duration receiver = missedReceiver(backend, engine, cache, memory);
        // A machine that does other things may be late once, and who waits for silence always is.
        for (int i = 0; i < 2 && (isLate(sender) || isLate(receiver)); i++) {
          sender = missedSender(backend, engine, cache, memory);
          receiver = missedReceiver(backend, engine, cache, memory);
        }
        reporter.publishEntry(
            "%s: a sender was missed after %d us, a receiver after %d us"
                .formatted(backend, sender.toNanos() / 1_000, receiver.toNanos() / 1_000));
        assertThat(sender).isLessThan(AT_ONCE);
        assertThat(receiver).isLessThan(AT_ONCE);
      } finally {
        engine.close().block(PATIENCE);
      }
    }
  }

  private static boolean isLate(Duration missed) {
    return missed.compareTo(AT_ONCE) >= 0;
  }

  private static Duration missedReceiver(
      String backend, TransferEngine engine, KvCache cache, KvMemory memory) throws Exception {
    KvPrefill prefill = cache.prefill(VictimNode.MODEL, memory);
    CountDownLatch written = new CountDownLatch(1);
    CompletableFuture<Void> handedOver = new CompletableFuture<>();
    prefill
        .serve(
            1,
            request ->
                prefill
                    .handOver(
                        request,
                        PageList.of(0),
                        Flux.just(FinishedLayer.whole(0, request)).concatWith(Flux.never()))
                    .doOnNext(first -> written.countDown())
                    .doOnError(handedOver::completeExceptionally))
        .subscribe();
    try (JavaProcess victim =
        JavaProcess.start(VictimNode.class.getName(), backend, engine.address().toText())) {
      assertThat(written.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
      return killAndMiss(victim, handedOver);
    } finally {
      prefill.dispose();
    }
  }

  private static Duration missedSender(
      String backend, TransferEngine engine, KvCache cache, KvMemory memory) throws Exception {
    long before = engine.stats().arrivals();
    try (JavaProcess victim = JavaProcess.start(VictimNode.class.getName(), backend)) {
      PeerAddress address = PeerAddress.fromText(victim.awaitLine("address (.*)").group(1));
      KvOrder order =
          KvOrder.into(engine.peer(address), PageList.of(0), () -> {})
              .deadline(Duration.ofMinutes(9))
              .build();
      CompletableFuture<Void> received =
          cache
              .decode(VictimNode.MODEL, memory)
              .receive(order, arrival -> Mono.<Void>empty())
              .toFuture();
      Flux.interval(Duration.ofMillis(5))
          .takeUntil(look -> received.isDone() || engine.stats().arrivals() - before > 20)
          .blockLast(PATIENCE);
      return killAndMiss(victim, received);
    }
  }

  /** From the end of the process to the error, which must name the process as lost. */
  private static Duration killAndMiss(JavaProcess victim, CompletableFuture<Void> error)
      throws Exception {
    assertThat(error).isNotDone();
    AtomicLong ended = new AtomicLong();
    AtomicLong missed = new AtomicLong();
    CompletableFuture<?> end = victim.handle().onExit().thenRun(() -> ended.set(System.nanoTime()));
    CompletableFuture<?> miss = error.whenComplete((none, lost) -> missed.set(System.nanoTime()));
    assertThat(victim.handle().destroyForcibly()).isTrue();
    end.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    try {
      miss.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
      throw new AssertionError("it is dead, and all is well");
    } catch (ExecutionException failed) {
      assertThat(failed.getCause()).isInstanceOf(HandOverException.class);
      HandOverException lost = (HandOverException) failed.getCause();
      assertThat(lost.reason()).isEqualTo(HandOverException.Reason.PEER_LOST);
      assertThat(lost).hasMessageContaining("victim");
    }
    return Duration.ofNanos(missed.get() - ended.get());
  }
}
