package io.reactivetransfer.tcp.process;

import static io.reactivetransfer.tcp.process.Local.FOUND;
import static io.reactivetransfer.tcp.process.Local.LONG;
import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.DeadlineExceededException;
import io.reactivetransfer.Imm;
import io.reactivetransfer.PeerState;
import io.reactivetransfer.PeerUnreachableException;
import io.reactivetransfer.RegionDescriptor;
import io.reactivetransfer.RemoteRegion;
import io.reactivetransfer.WriteImm;
import io.reactivetransfer.tck.process.EngineProcess;
import io.reactivetransfer.tck.process.Waiting;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;

/** Processes that are killed without a word, and others that take their place. */
class KilledPeerTest {

  private static final int BYTES = 1 << 20;
  private static final Imm IMM = Imm.of(7);
  private static final Duration A_MOMENT = Duration.ofMillis(5);

  private final Local local = Local.open(BYTES);
  private final EngineProcess child = TcpProgram.start();

  @AfterEach
  void close() {
    child.close();
    local.close();
  }

  private WriteImm write(RemoteRegion target) {
    return WriteImm.of(local.region.whole(), target.whole(), IMM);
  }

  /** Without an end; counts down with each that is done. */
  private CompletableFuture<Void> writeOnAndOn(RemoteRegion target, CountDownLatch done) {
    return local
        .engine
        .submit(Flux.just(write(target)).repeat())
        .doOnNext(_ -> done.countDown())
        .then()
        .toFuture();
  }

  private void assertNames(Throwable error, EngineProcess process) {
    assertThat(error)
        .isInstanceOfSatisfying(
            PeerUnreachableException.class, e -> assertThat(e.peer()).isEqualTo(process.id()))
        .hasMessageContaining(process.id().toShortString());
  }

  @Test
  void aTargetThatIsKilledEndsTheStreamToItAndNothingElse() throws Exception {
    try (EngineProcess other = TcpProgram.start()) {
      RemoteRegion target = local.remote(child.memory("m", BYTES));
      RemoteRegion alive = local.remote(other.memory("m", BYTES));
      CountDownLatch under = new CountDownLatch(100);
      CompletableFuture<Void> doomed = writeOnAndOn(target, under);
      assertThat(under.await(LONG.toSeconds(), TimeUnit.SECONDS)).isTrue();

      child.kill();

      assertNames(Waiting.failure(doomed, FOUND), child);
      local.region.quiesced().block(LONG);
      assertThat(local.engine.stats().transfersInFlight()).isZero();
      local.memory.fill((byte) 3);
      local.engine.submit(write(alive)).block(LONG);
      assertThat(other.call("values", "m")).isEqualTo("3");
    }
  }

  @Test
  void whoWaitsForAnOriginThatIsKilledIsTold() {
    assertThat(child.call("write", local.descriptorText(), IMM.value(), 40, 4_096, 1))
        .isEqualTo("40 written");
    assertThat(child.call("write", local.descriptorText(), 8, 3, 4_096, 1)).isEqualTo("3 written");
    CompletableFuture<Void> bound =
        local.engine.counter(IMM).boundTo(local.peer(child)).next(100).toFuture();
    CompletableFuture<Void> unbound =
        local.engine.counter(Imm.of(8)).within(Duration.ofSeconds(1)).next(9).toFuture();

    child.kill();

    Throwable lost = Waiting.failure(bound, FOUND);
    assertNames(lost, child);
    assertThat(lost).hasMessageContaining("40 of 100");
    assertThat(Waiting.failure(unbound, FOUND))
        .isInstanceOf(DeadlineExceededException.class)
        .hasMessageContaining("3 of 9");
  }

  @Test
  void aProcessAtTheAddressOfAnotherIsANewPeerAndAThirdOneNeverNotices() throws Exception {
    int port = FreePorts.twoInARow();
    EngineProcess third = child;
    try (EngineProcess first = TcpProgram.startAtPort(port)) {
      RemoteRegion steady = local.remote(third.memory("m", BYTES));
      third.call("watch", local.addressText());
      CompletableFuture<String> waiting = third.ask("count", 9, 1, "from", local.addressText());
      List<PeerState> thirdAsSeen = local.watch(third);
      Semaphore done = new Semaphore(0);
      CompletableFuture<Void> stream =
          local
              .engine
              .submit(Flux.interval(A_MOMENT).onBackpressureDrop().map(_ -> write(steady)))
              .doOnNext(_ -> done.release())
              .then()
              .toFuture();
      assertThat(done.tryAcquire(10, LONG.toSeconds(), TimeUnit.SECONDS)).isTrue();

      RegionDescriptor old = first.memory("m", BYTES);
      local.engine.submit(write(local.remote(old))).block(LONG);
      first.kill();
      try (EngineProcess second = TcpProgram.startAtPort(port);
          Local fresh = Local.open(BYTES)) {
        RegionDescriptor current = second.memory("m", BYTES);

        assertThat(second.id()).isNotEqualTo(first.id());
        assertRefused(local, old, first, second);
        assertRefused(fresh, old, first, second);
        assertThat(second.call("values", "m")).isEqualTo("0");

        local.memory.fill((byte) 4);
        local.engine.submit(write(local.remote(current))).block(LONG);
        assertThat(second.call("values", "m")).isEqualTo("4");
        second.call("count", IMM.value(), 1);
      }
      done.drainPermits();
      assertThat(done.tryAcquire(10, LONG.toSeconds(), TimeUnit.SECONDS)).isTrue();
      assertThat(stream).isNotDone();
      assertThat(waiting).isNotDone();
      assertThat(third.call("states", local.addressText())).doesNotContain("Lost");
      assertThat(thirdAsSeen).noneMatch(PeerState.Lost.class::isInstance);
      stream.cancel(true);
    }
  }

  private static void assertRefused(
      Local here, RegionDescriptor old, EngineProcess was, EngineProcess is) {
    WriteImm write = WriteImm.of(here.region.whole(), here.remote(old).whole(), IMM);
    Throwable error = Waiting.failure(here.engine.submit(write).toFuture(), LONG);
    assertThat(error)
        .isInstanceOfSatisfying(
            PeerUnreachableException.class, e -> assertThat(e.peer()).isEqualTo(was.id()))
        .hasMessageContaining(
            "the engine at this address is "
                + is.id().toShortString()
                + ", not "
                + was.id().toShortString()
                + ": was its process restarted? Get its new address");
  }
}
