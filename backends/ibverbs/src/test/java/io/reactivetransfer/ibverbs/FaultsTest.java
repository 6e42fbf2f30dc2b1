package io.reactivetransfer.ibverbs;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.ibverbs.ffi.FailingVerbs;
import io.reactivetransfer.ibverbs.ffi.FakeLimits;
import io.reactivetransfer.ibverbs.ffi.FakeVerbs;
import io.reactivetransfer.spi.BackendException;
import io.reactivetransfer.spi.LocalMemory;
import io.reactivetransfer.spi.RemoteMemory;
import io.reactivetransfer.tck.driver.FailingCalls;
import io.reactivetransfer.tck.driver.FaultScenario;
import io.reactivetransfer.tck.driver.TwoNics;
import java.lang.foreign.Arena;
import java.util.List;
import java.util.OptionalInt;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The n-th call of libibverbs fails, for every n: nothing but a {@link BackendException} comes out,
 * and only where it may; each write is reported once; nothing stays open.
 */
// A usual build has a device that fails by the kit.
@Tag("merge")
class FaultsTest {

  private static final String ONLY = "reactivetransfer.ibverbs.fault";
  private static final long LENGTH = 300_000;

  /** In a usual build each third call fails; each call each night. */
  private static final int APART = Integer.getInteger("reactivetransfer.rounds", 1) > 1 ? 1 : 3;

  /** How many calls a run makes differs a little from run to run. */
  private static final int RUNS_WITHOUT = 5;

  private FakeVerbs fake = new FakeVerbs(2);

  private FaultScenario scenario(FailingVerbs failing) {
    return FaultScenario.run(
        () -> FakeNics.open(fake, failing.calls(), FakeNics.SHORT_CONNECT_TIMEOUT));
  }

  @Test
  void withoutAFaultAllIsWrittenAndClosed() {
    FaultScenario.run(() -> FakeNics.open(fake, fake)).expectAllDone();
    assertThat(fake.open()).as("open").isEmpty();
    assertThat(fake.mistakes()).as("mistakes").isEmpty();
  }

  @Test
  @Timeout(150)
  void whateverCallFailsNothingIsLostOrLeftOpen() {
    failEachCall(FakeLimits.small(8), 1);
  }

  /** Long queues lead to the same calls as short ones, and to fewer of them at a time. */
  @Tag("nightly")
  @Test
  @Timeout(150)
  void whateverCallFailsOfLongQueuesNothingIsLostOrLeftOpen() {
    failEachCall(FakeLimits.LARGE, Math.min(2, APART));
  }

  private void failEachCall(FakeLimits limits, int first) {
    FailingCalls.failEach(
        ONLY,
        first,
        APART,
        RUNS_WITHOUT,
        n -> {
          fake = new FakeVerbs(2, limits);
          return new FailingVerbs(fake, n);
        },
        this::expectBorne);
  }

  private void expectBorne(FailingVerbs failing) {
    FaultScenario scenario = scenario(failing);
    scenario.expectOneReportOfEach();
    if (scenario.isClosed()) {
      assertThat(fake.open()).as("open").isEmpty();
    } else {
      assertThat(failing.failed()).matches("ibv_(de|close).*"); // a NIC is closed once
    }
    assertThat(fake.mistakes()).as("mistakes").isEmpty();
  }

  /** Then nothing waits for ever, and each is reported. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "ibv_create_qp",
        "ibv_modify_qp",
        "ibv_post_send",
        "ibv_reg_mr_iova2",
        "ibv_req_notify_cq",
        "ibv_get_cq_event",
        "ibv_get_async_event"
      })
  @Timeout(60)
  void whatAlwaysFailsEnds(String name) {
    FailingVerbs failing = new FailingVerbs(fake, 0);
    failing.always(name);
    expectBorne(failing);
  }

  @Test
  void aNicWhoseCompletionsCannotBeReadHasFailedAndReportsItsWrites() {
    FailingVerbs failing = new FailingVerbs(fake, 0);
    TwoNics nics = FakeNics.open(fake, failing.calls());
    try (Arena arena = Arena.ofShared()) {
      LocalMemory source = nics.source(arena.allocate(LENGTH, 64));
      RemoteMemory target = nics.named(nics.openToOrigin(arena.allocate(LENGTH, 64)), LENGTH);
      nics.write(source, target, 1, i -> 0, 100, false);
      failing.always("ibv_poll_cq");
      nics.write(source, target, 3, i -> 0, 100, true);
      nics.until("both to be broken", () -> nics.atTarget().count("broken") > 0);
      assertThat(nics.atOrigin().count("broken")).isEqualTo(1);
      assertThat(nics.wrongReports()).isEmpty();
      assertThat(nics.close()).isTrue();
    }
    assertThat(fake.open()).isEmpty();
  }

  @Test
  void aDeviceThatSaysSoHasFailed() {
    TwoNics nics = FakeNics.open(fake, fake);
    try (Arena arena = Arena.ofShared()) {
      LocalMemory source = nics.source(arena.allocate(LENGTH, 64));
      RemoteMemory target = nics.named(nics.openToOrigin(arena.allocate(LENGTH, 64)), LENGTH);
      nics.write(source, target, 1, i -> 0, 100, false);
      fake.fatal(0);
      nics.until("the NIC to be broken", () -> nics.atOrigin().count("broken") > 0);
      assertThat(nics.atOrigin().texts().getFirst())
          .isEqualTo("fake0 has failed: local catastrophic error");
      assertThat(nics.close()).isTrue();
    }
    assertThat(fake.open()).isEmpty();
    assertThat(fake.mistakes()).isEmpty();
  }

  @Test
  void aPortThatIsDownLosesItsPeersAndOneThatIsUpAgainReachesThem() {
    TwoNics nics = FakeNics.open(fake, fake);
    try (Arena arena = Arena.ofShared()) {
      LocalMemory source = nics.source(arena.allocate(LENGTH, 64));
      RemoteMemory target = nics.named(nics.openToOrigin(arena.allocate(LENGTH, 64)), LENGTH);
      nics.write(source, target, 1, i -> 0, 100, false);
      fake.link(0, false);
      nics.until("a loss", () -> nics.atOrigin().count("lost") > 0);
      assertThat(nics.atOrigin().texts()).contains("port fake0 is down: look at its link");
      nics.write(source, target, 1, i -> 0, 100, false);
      fake.link(0, true);
      nics.until(
          "a write to be done again",
          () -> {
            nics.write(source, target, 1, i -> 0, 100, true);
            return nics.atTarget().count("imm") > 0;
          });
      assertThat(nics.wrongReports()).isEmpty();
      assertThat(nics.close()).isTrue();
    }
    assertThat(fake.open()).isEmpty();
    assertThat(fake.mistakes()).isEmpty();
  }

  @Test
  void aPortThatHasLostItsAddressLosesItsPeersAndOneThatHasItAgainReachesThem() {
    TwoNics nics = FakeNics.open(fake, fake);
    try (Arena arena = Arena.ofShared()) {
      LocalMemory source = nics.source(arena.allocate(LENGTH, 64));
      RemoteMemory target = nics.named(nics.openToOrigin(arena.allocate(LENGTH, 64)), LENGTH);
      nics.write(source, target, 1, i -> 0, 100, false);
      fake.address(0, false);
      nics.until("a loss", () -> nics.atOrigin().count("lost") > 0);
      assertThat(nics.atOrigin().texts().getFirst())
          .startsWith("port fake0 has lost its address ")
          .endsWith("(GID index 3): give it back to the network device, or open the engine anew");
      fake.link(0, true);
      fake.address(0, true);
      nics.until(
          "a write to be done again",
          () -> {
            nics.write(source, target, 1, i -> 0, 100, true);
            return nics.atTarget().count("imm") > 0;
          });
      assertThat(nics.wrongReports()).isEmpty();
      assertThat(nics.close()).isTrue();
    }
    assertThat(fake.open()).isEmpty();
    assertThat(fake.mistakes()).isEmpty();
  }

  @Test
  void whoWritesToAPortThatHasLostItsAddressHasLostTheWay() {
    TwoNics nics = FakeNics.open(fake, fake);
    try (Arena arena = Arena.ofShared()) {
      LocalMemory source = nics.source(arena.allocate(LENGTH, 64));
      RemoteMemory target = nics.named(nics.openToOrigin(arena.allocate(LENGTH, 64)), LENGTH);
      nics.write(source, target, 1, i -> 0, 100, false);
      fake.address(1, false);
      nics.write(source, target, 1, i -> 0, 100, false);
      assertThat(nics.atOrigin().reports()).containsExactly("written 0", "lost 2", "failed 1");
      assertThat(nics.wrongReports()).isEmpty();
      assertThat(nics.close()).isTrue();
    }
    assertThat(fake.open()).isEmpty();
    assertThat(fake.mistakes()).isEmpty();
  }

  @Test
  void aConnectionThatHasFailedWhileNothingWasOutIsReplaced() {
    TwoNics nics = FakeNics.open(fake, fake);
    try (Arena arena = Arena.ofShared()) {
      LocalMemory source = nics.source(arena.allocate(LENGTH, 64));
      RemoteMemory target = nics.named(nics.openToOrigin(arena.allocate(LENGTH, 64)), LENGTH);
      nics.write(source, target, 1, i -> 0, 100, false);
      fake.failQueuePairs(0);
      long since = System.nanoTime();
      nics.until("the device to be asked", () -> System.nanoTime() - since > 50_000_000);
      nics.write(source, target, 40, i -> 10 * i, 100, true);
      assertThat(nics.atOrigin().count("written")).as("writes").isEqualTo(41);
      assertThat(nics.atTarget().count("imm")).as("immediates").isEqualTo(40);
      assertThat(nics.close()).isTrue();
    }
    assertThat(fake.open()).isEmpty();
    assertThat(fake.mistakes()).isEmpty();
  }

  @Test
  void aSearchThatFailsLeavesNothingOpen() {
    VerbsSettings settings =
        new VerbsSettings(
            List.of(),
            OptionalInt.empty(),
            AckTiming.of(AckTiming.DEFAULT_TIMEOUT, 6),
            Priority.DEFAULT);
    boolean failed = true;
    for (long n = 1; failed; n++) {
      FailingVerbs failing = new FailingVerbs(fake, n);
      try {
        assertThat(PortFinder.find(failing.calls(), settings).ports()).hasSizeBetween(1, 2);
      } catch (BackendException e) {
        assertThat(e).hasMessageContaining("ibv_get_device_list");
      }
      failed = failing.failed() != null;
      if (failed && failing.failed().equals("ibv_close_device")) {
        continue; // it stays open, and nobody can help it
      }
      assertThat(fake.mistakes()).isEmpty();
    }
  }
}
