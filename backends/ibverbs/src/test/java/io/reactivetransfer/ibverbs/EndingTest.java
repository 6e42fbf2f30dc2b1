package io.reactivetransfer.ibverbs;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.ibverbs.ffi.FailingVerbs;
import io.reactivetransfer.ibverbs.ffi.FakeVerbs;
import io.reactivetransfer.spi.Operation;
import io.reactivetransfer.tck.driver.TwoNics;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What is out on a connection is over when its queue pair is, and nothing is lost with it. */
@Timeout(30)
class EndingTest {

  private static final int LENGTH = 100;
  private static final long LOOK_NANOS = 100_000_000;

  private final FakeVerbs fake = new FakeVerbs(2);

  /** As long as the queue pair is there, the card may still send them. */
  @Test
  void reportsNoWriteBeforeAQueuePairIsGoneThatCannotBePutIntoError() {
    FailingVerbs noDestroy = new FailingVerbs(fake, 0);
    FailingVerbs noModify = new FailingVerbs(noDestroy.calls(), 0);
    TwoNics nics = FakeNics.open(fake, noModify.calls());
    try (Arena arena = Arena.ofShared()) {
      MemorySegment to = arena.allocate(LENGTH);
      Operation op =
          new Operation()
              .between(
                  nics.source(arena.allocate(LENGTH).fill((byte) 7)),
                  nics.named(nics.openToOrigin(to), LENGTH))
              .range(0, 0, LENGTH)
              .withoutImm();
      nics.until("a connection", () -> nics.origin().post(op.token(0)).isTaken());
      nics.until("the first write", () -> nics.atOrigin().count("written") == 1);
      to.fill((byte) 0);
      fake.hold(true);
      for (int token = 1; token <= 20; token++) {
        assertThat(nics.origin().post(op.token(token)).isTaken()).isTrue();
      }
      nics.origin().flush();
      noModify.always("ibv_modify_qp");
      noDestroy.always("ibv_destroy_qp");
      CompletableFuture<Void> fence = nics.giveUp().toCompletableFuture();
      long since = System.nanoTime();
      nics.until("some tries", () -> System.nanoTime() - since > LOOK_NANOS);
      assertThat(nics.atOrigin().reports()).as("while it is there").containsExactly("written 0");
      assertThat(fence).isNotDone();
      noDestroy.always(null);
      nics.until("the end", fence::isDone);
      assertThat(nics.atOrigin().count("failed")).isEqualTo(20);
      fake.hold(false);
      noModify.always(null);
      nics.until("another connection", () -> nics.origin().post(op.range(0, 0, 1)).isTaken());
      nics.until("another write", () -> nics.atOrigin().count("written") == 2);
      assertThat(to.mismatch(arena.allocate(LENGTH).fill((byte) 0))).isZero();
      assertThat(to.asSlice(1).mismatch(arena.allocate(LENGTH - 1))).isEqualTo(-1);
      assertThat(nics.close()).isTrue();
    }
    assertThat(fake.mistakes()).isEmpty();
  }

  /** The fake notes a shared receive that a queue pair has taken along as a mistake. */
  @Test
  void waitsForReceivesThatTheQueuePairHasTaken() {
    fake.takesReceives(true);
    TwoNics nics = FakeNics.open(fake, fake);
    try (Arena arena = Arena.ofShared()) {
      var source = nics.source(arena.allocate(LENGTH));
      var target = nics.named(nics.openToOrigin(arena.allocate(LENGTH)), LENGTH);
      for (int i = 0; i < 5; i++) {
        nics.write(source, target, 1, each -> 0, LENGTH, true);
        nics.disconnect();
        nics.until("the queue pairs to be gone", () -> fake.queuePairs() == 0);
      }
      assertThat(fake.mistakes()).isEmpty();
      assertThat(nics.close()).isTrue();
    }
  }

  /** What is out may be complete all the same, but nothing more can be sent. */
  @Test
  void postsNothingMoreOverAConnectionThatThePeerHasEnded() {
    TwoNics nics = FakeNics.open(fake, fake);
    try (Arena arena = Arena.ofShared()) {
      Operation op =
          new Operation()
              .between(
                  nics.source(arena.allocate(LENGTH)),
                  nics.named(nics.openToOrigin(arena.allocate(LENGTH)), LENGTH))
              .range(0, 0, LENGTH)
              .withoutImm();
      nics.until("a connection", () -> nics.post(true, op.token(0)));
      nics.until("the first write", () -> nics.atOrigin().count("written") == 1);
      int made = fake.made();
      fake.hold(true);
      assertThat(nics.post(true, op.token(1))).isTrue();
      nics.origin().flush();
      nics.hear(SetUp.disconnect(1));
      assertThat(nics.post(true, op.token(2))).isFalse();
      fake.hold(false);
      nics.until("the write that was out", () -> nics.atOrigin().reportsOf(1) == 1);
      nics.until("another connection", () -> nics.post(true, op.token(3)));
      nics.until("the next write", () -> nics.atOrigin().reportsOf(3) == 1);
      assertThat(nics.atOrigin().reports()).containsExactly("written 0", "written 1", "written 3");
      assertThat(fake.made()).isEqualTo(made + 2);
      assertThat(nics.close()).isTrue();
    }
    assertThat(fake.mistakes()).isEmpty();
  }

  /** Its origin was told that it is written. */
  @Test
  void whatHadArrivedBeforeTheDeviceFailedIsCounted() {
    TwoNics nics = FakeNics.open(fake, fake);
    try (Arena arena = Arena.ofShared()) {
      var source = nics.source(arena.allocate(LENGTH));
      var target = nics.named(nics.openToOrigin(arena.allocate(LENGTH)), LENGTH);
      nics.write(source, target, 1, each -> 0, LENGTH, true);
      Operation op = new Operation().between(source, target).range(0, 0, LENGTH).withImm(77);
      assertThat(nics.post(true, op.token(50))).isTrue();
      long begin = System.nanoTime();
      while (nics.atOrigin().reportsOf(50) == 0) {
        nics.poll(true);
        assertThat(System.nanoTime() - begin).isLessThan(10_000_000_000L);
      }
      fake.fatal(1);
      nics.until("the failure", () -> nics.atTarget().has("broken"));
      nics.until("the immediate", () -> nics.atTarget().has("imm 77"));
      assertThat(nics.close()).isTrue();
    }
  }

  /** So that the engine posts them on another NIC, where it may, instead of failing them. */
  @Test
  void thatTheDeviceHasFailedIsToldBeforeItsWritesFail() {
    TwoNics nics = FakeNics.open(fake, fake);
    try (Arena arena = Arena.ofShared()) {
      var source = nics.source(arena.allocate(LENGTH));
      var target = nics.named(nics.openToOrigin(arena.allocate(LENGTH)), LENGTH);
      nics.write(source, target, 1, each -> 0, LENGTH, true);
      fake.hold(true);
      Operation op = new Operation().between(source, target).range(0, 0, LENGTH).withoutImm();
      for (int token = 50; token < 60; token++) {
        assertThat(nics.post(true, op.token(token))).isTrue();
      }
      nics.origin().flush();
      fake.fatal(0);
      nics.untilAllAreReported();
      List<String> reports = nics.atOrigin().reports();
      int told = reports.indexOf("broken");
      assertThat(told).as("where it was told among %s", reports).isNotNegative();
      assertThat(reports.subList(0, told)).containsExactly("written 0");
      assertThat(reports.subList(told + 1, reports.size()))
          .filteredOn(report -> report.startsWith("failed"))
          .hasSize(10);
      fake.hold(false);
      assertThat(nics.close()).isTrue();
    }
  }
}
