package io.reactivetransfer.ibverbs;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.ibverbs.ffi.FailingVerbs;
import io.reactivetransfer.ibverbs.ffi.FakeLimits;
import io.reactivetransfer.ibverbs.ffi.FakeVerbs;
import io.reactivetransfer.spi.LocalMemory;
import io.reactivetransfer.spi.Operation;
import io.reactivetransfer.spi.PostResult;
import io.reactivetransfer.spi.RemoteMemory;
import io.reactivetransfer.tck.driver.FaultScenario;
import io.reactivetransfer.tck.driver.TwoNics;
import java.lang.foreign.Arena;
import java.util.List;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A device with short queues: a send queue of 8 or 20 requests, which is less than the depth of a
 * NIC, 10 shared receives, and a completion queue of 100 entries, half of which are the depth.
 * Nothing is given more than it has room for.
 */
@Timeout(60)
class SmallDeviceTest {

  private static final int LENGTH = 1_000;
  private static final int DEPTH = 50;
  private static final int RECEIVES = 10;
  private static final int COMPLETIONS = 100;

  /** Many more than it takes to hear that a queue pair has been destroyed. */
  private static final int TURNS = 300;

  private static final long REFUSED = 1_000;
  private static final long KEPT = 2_000;
  private static final long NEXT = 3_000;

  private static void expectNothingWrong(FakeVerbs fake) {
    assertThat(fake.mistakes()).as("mistakes").isEmpty();
    assertThat(fake.open()).as("open").isEmpty();
  }

  /** Posts until it is refused; returns how many were taken over. */
  private static int fill(TwoNics nics, Operation op, long firstToken, PostResult expected) {
    int taken = 0;
    PostResult result = nics.origin().post(op.token(firstToken));
    while (result.isTaken()) {
      result = nics.origin().post(op.token(firstToken + ++taken));
    }
    assertThat(result).isEqualTo(expected);
    nics.origin().flush();
    return taken;
  }

  private static List<String> written(long firstToken, int count) {
    return LongStream.range(firstToken, firstToken + count)
        .mapToObj(token -> "written " + token)
        .toList();
  }

  @ParameterizedTest
  @ValueSource(ints = {8, 20})
  void aPeerIsBusyWhenItsSendQueueIsFull(int sends) {
    FakeVerbs fake = new FakeVerbs(2, FakeLimits.small(sends));
    TwoNics nics = FakeNics.open(fake, fake);
    try (Arena arena = Arena.ofShared()) {
      LocalMemory source = nics.source(arena.allocate(LENGTH));
      RemoteMemory target = nics.named(nics.openToOrigin(arena.allocate(LENGTH)), LENGTH);
      assertThat(nics.origin().capabilities().queueDepth()).isEqualTo(DEPTH);
      nics.write(source, target, 1, i -> 0, 100, false);
      Operation op = new Operation().between(source, target).range(0, 0, 100).withImm(7);
      for (int round = 1; round <= 3; round++) {
        fake.hold(true);
        assertThat(fill(nics, op, 100L * round, PostResult.PEER_BUSY)).isEqualTo(sends);
        fake.hold(false);
        int all = round * sends;
        nics.until("reports of all", () -> nics.atOrigin().count("written") > all);
        assertThat(nics.atOrigin().reports()).containsAll(written(100L * round, sends));
      }
      nics.until("all immediates", () -> nics.atTarget().count("imm") == 3L * sends);
      assertThat(nics.close()).isTrue();
    }
    expectNothingWrong(fake);
  }

  /** More than there are shared receives, while the target does not look. */
  @ParameterizedTest
  @ValueSource(ints = {8, 20})
  void whatFindsNoReceiveWaitsForOne(int sends) {
    FakeVerbs fake = new FakeVerbs(2, FakeLimits.small(sends));
    TwoNics nics = FakeNics.open(fake, fake);
    try (Arena arena = Arena.ofShared()) {
      LocalMemory source = nics.source(arena.allocate(LENGTH));
      RemoteMemory target = nics.named(nics.openToOrigin(arena.allocate(LENGTH)), LENGTH);
      nics.write(source, target, 200, i -> i, 100, true);
      nics.until("all immediates", () -> nics.atTarget().count("imm") == 200);
      assertThat(Set.copyOf(nics.atTarget().reports())).as("different ones").hasSize(200);
      assertThat(nics.atOrigin().count("written")).isEqualTo(200);
      assertThat(nics.close()).isTrue();
    }
    expectNothingWrong(fake);
  }

  /**
   * What was behind a write that was refused is kept until its queue pair is destroyed. By then the
   * next connection is full.
   */
  @ParameterizedTest
  @ValueSource(ints = {8, 20})
  void whatIsPostedAgainWaitsForRoom(int sends) {
    FakeVerbs fake = new FakeVerbs(2, FakeLimits.small(sends));
    FailingVerbs noDestroy = new FailingVerbs(fake, 0);
    TwoNics nics = FakeNics.open(fake, noDestroy.calls());
    try (Arena arena = Arena.ofShared()) {
      LocalMemory source = nics.source(arena.allocate(LENGTH));
      LocalMemory local = nics.openToOrigin(arena.allocate(LENGTH));
      RemoteMemory old = nics.named(local, LENGTH);
      nics.write(source, old, 1, i -> 0, 100, false);
      RemoteMemory present = nics.named(TwoNics.join(nics.target().revoke(local)), LENGTH);
      int before = fake.queuePairs();
      Operation op = new Operation().range(0, 0, 100).withoutImm();
      assertThat(nics.origin().post(op.between(source, old).token(REFUSED)).isTaken()).isTrue();
      nics.origin().flush();
      long begin = System.nanoTime();
      while (fake.queuePairs() == before) { // the refusal is in the queue of completions then
        nics.poll(false);
        assertThat(System.nanoTime() - begin).as("ns").isLessThan(10_000_000_000L);
      }
      noDestroy.always("ibv_destroy_qp");
      op.between(source, present);
      for (int i = 0; i < sends - 1; i++) { // which are chained, and not posted
        assertThat(nics.origin().post(op.token(KEPT + i)).isTaken()).isTrue();
      }
      nics.origin().poll(nics.atOrigin());
      assertThat(nics.atOrigin().reports()).contains("refused " + REFUSED);

      fake.hold(true);
      nics.until("the next connection", () -> nics.origin().post(op.token(NEXT)).isTaken());
      int more = fill(nics, op, NEXT + 1, PostResult.PEER_BUSY);
      assertThat(more).as("beside the first").isEqualTo(sends - 1);
      noDestroy.always(null);
      nics.until("the end of the first connection", () -> fake.queuePairs() == 2);
      for (int i = 0; i < TURNS; i++) {
        nics.turn(); // in which what was kept is to be posted again
      }
      assertThat(nics.origin().post(op.token(NEXT + sends))).isEqualTo(PostResult.PEER_BUSY);

      fake.hold(false);
      nics.until("all reports", () -> nics.atOrigin().count("written") == 2L * sends);
      assertThat(nics.atOrigin().reports())
          .containsAll(written(KEPT, sends - 1))
          .containsAll(written(NEXT, sends))
          .doesNotHaveDuplicates();
      assertThat(nics.close()).isTrue();
    }
    expectNothingWrong(fake);
  }

  /**
   * As many own writes as it is deep, each with its completion, and as many arrivals as it takes.
   */
  @Test
  void aQueueOfCompletionsHasRoomForAllThatIsOut() {
    FakeVerbs fake = new FakeVerbs(2, new FakeLimits(DEPTH, RECEIVES, COMPLETIONS));
    TwoNics nics = FakeNics.open(fake, fake);
    try (Arena arena = Arena.ofShared()) {
      Operation there =
          new Operation()
              .between(
                  nics.source(arena.allocate(LENGTH)),
                  nics.named(nics.openToOrigin(arena.allocate(LENGTH)), LENGTH))
              .range(0, 0, 100);
      Operation back =
          new Operation()
              .between(
                  nics.sourceAtTarget(arena.allocate(LENGTH)),
                  nics.openToTarget(arena.allocate(LENGTH)))
              .range(0, 0, 100);
      nics.until("a way there", () -> nics.origin().post(there.token(0).withoutImm()).isTaken());
      nics.until("a way back", () -> nics.target().post(back.token(0).withoutImm()).isTaken());
      nics.until(
          "both ways", () -> nics.atOrigin().has("written 0") && nics.atTarget().has("written 0"));

      for (int i = 1; i <= DEPTH; i++) {
        assertThat(nics.origin().post(there.token(i)).isTaken()).isTrue();
        nics.origin().flush(); // each is the last of a chain, so its completion is asked for
      }
      for (int i = 1; i <= RECEIVES; i++) {
        assertThat(nics.target().post(back.token(i).withImm(i)).isTaken()).isTrue();
      }
      long begin = System.nanoTime();
      while (nics.atTarget().count("written") <= RECEIVES) { // the origin does not look meanwhile
        nics.poll(false);
        assertThat(System.nanoTime() - begin).as("ns").isLessThan(10_000_000_000L);
      }
      nics.until("all reports", () -> nics.atOrigin().count("written") == DEPTH + 1);
      nics.until("all immediates", () -> nics.atOrigin().count("imm") == RECEIVES);
      assertThat(nics.close()).isTrue();
    }
    expectNothingWrong(fake);
  }

  @ParameterizedTest
  @ValueSource(ints = {8, 20})
  void allIsWrittenAndClosed(int sends) {
    FakeVerbs fake = new FakeVerbs(2, FakeLimits.small(sends));
    FaultScenario.run(() -> FakeNics.open(fake, fake)).expectAllDone();
    expectNothingWrong(fake);
  }
}
