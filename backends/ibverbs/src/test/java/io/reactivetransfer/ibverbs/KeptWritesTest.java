package io.reactivetransfer.ibverbs;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.ibverbs.ffi.FailingVerbs;
import io.reactivetransfer.ibverbs.ffi.FakeVerbs;
import io.reactivetransfer.ibverbs.ffi.Verbs;
import io.reactivetransfer.spi.LocalMemory;
import io.reactivetransfer.spi.Operation;
import io.reactivetransfer.spi.RemoteMemory;
import io.reactivetransfer.tck.driver.TwoNics;
import java.lang.foreign.Arena;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What is behind a write that the target refuses is kept for the next connection, or reported. */
@Timeout(30)
class KeptWritesTest {

  private static final int LENGTH = 1_000;
  private static final long REFUSED = 100;
  private static final long BEHIND = 101;
  private static final long LAST = 102;

  private final FakeVerbs fake = new FakeVerbs(2);

  /** Which gives completions one at a time: what is out ends one after the other. */
  private static Verbs slow(Verbs real) {
    return (Verbs)
        Proxy.newProxyInstance(
            Verbs.class.getClassLoader(),
            new Class<?>[] {Verbs.class},
            (self, method, arguments) -> {
              if (method.getName().equals("ibv_poll_cq")) {
                arguments[1] = 1;
              }
              try {
                return method.invoke(real, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  /** What is done when the first write was refused. */
  private interface Then {
    void with(TwoNics nics);
  }

  private void behindARefusedWrite(Verbs verbs, Runnable before, Then then, String outcome) {
    TwoNics nics = FakeNics.open(fake, verbs);
    try (Arena arena = Arena.ofShared()) {
      LocalMemory source = nics.source(arena.allocate(LENGTH));
      LocalMemory local = nics.openToOrigin(arena.allocate(LENGTH));
      RemoteMemory old = nics.named(local, LENGTH);
      nics.write(source, old, 1, i -> 0, 100, false);
      LocalMemory renewed = TwoNics.join(nics.target().revoke(local));
      RemoteMemory present = nics.named(renewed, LENGTH);
      Operation op = new Operation().range(0, 0, 100).withoutImm();
      assertThat(nics.origin().post(op.between(source, old).token(REFUSED)).isTaken()).isTrue();
      assertThat(nics.origin().post(op.between(source, present).token(BEHIND)).isTaken()).isTrue();
      assertThat(nics.origin().post(op.token(LAST)).isTaken()).isTrue();
      nics.origin().flush();
      before.run();
      nics.until("a refusal", () -> nics.atOrigin().reportsOf(REFUSED) > 0);
      then.with(nics);
      nics.until(
          "reports of those behind",
          () -> nics.atOrigin().reportsOf(BEHIND) > 0 && nics.atOrigin().reportsOf(LAST) > 0);
      assertThat(nics.atOrigin().reports()).contains(outcome + BEHIND, outcome + LAST);
      nics.close();
    }
    assertThat(fake.mistakes()).isEmpty();
  }

  @Test
  void areWrittenOverTheNextConnection() {
    behindARefusedWrite(slow(fake), () -> {}, nics -> {}, "written ");
  }

  /** The target has seen the failure first, and says so before the origin has looked. */
  @Test
  void areWrittenAlsoWhereTheTargetHasEndedTheConnectionFirst() {
    TwoNics nics = FakeNics.open(fake, fake);
    try (Arena arena = Arena.ofShared()) {
      LocalMemory source = nics.source(arena.allocate(LENGTH));
      LocalMemory local = nics.openToOrigin(arena.allocate(LENGTH));
      RemoteMemory old = nics.named(local, LENGTH);
      nics.write(source, old, 1, i -> 0, 100, false);
      RemoteMemory present = nics.named(TwoNics.join(nics.target().revoke(local)), LENGTH);
      long before = fake.queuePairs();
      Operation op = new Operation().range(0, 0, 100).withoutImm();
      assertThat(nics.origin().post(op.between(source, old).token(REFUSED)).isTaken()).isTrue();
      assertThat(nics.origin().post(op.between(source, present).token(BEHIND)).isTaken()).isTrue();
      nics.origin().flush();
      long begin = System.nanoTime();
      while (fake.queuePairs() == before) {
        nics.turnTarget();
        assertThat(System.nanoTime() - begin).as("ns").isLessThan(10_000_000_000L);
      }
      nics.until("a report of the last", () -> nics.atOrigin().reportsOf(BEHIND) > 0);
      assertThat(nics.atOrigin().reports()).contains("refused " + REFUSED, "written " + BEHIND);
      nics.close();
    }
    assertThat(fake.mistakes()).isEmpty();
  }

  /** The one that keeps them cannot be destroyed for a while, and the peer ends the next one. */
  @Test
  void areWrittenAlsoWhereTheNextConnectionHasEndedBeforeThatWhichKeepsThem() {
    FailingVerbs noDestroy = new FailingVerbs(fake, 0);
    TwoNics nics = FakeNics.open(fake, noDestroy.calls());
    try (Arena arena = Arena.ofShared()) {
      LocalMemory source = nics.source(arena.allocate(LENGTH));
      LocalMemory local = nics.openToOrigin(arena.allocate(LENGTH));
      RemoteMemory old = nics.named(local, LENGTH);
      nics.write(source, old, 1, i -> 0, 100, false);
      RemoteMemory present = nics.named(TwoNics.join(nics.target().revoke(local)), LENGTH);
      long before = fake.queuePairs();
      Operation op = new Operation().range(0, 0, 100).withoutImm();
      assertThat(nics.origin().post(op.between(source, old).token(REFUSED)).isTaken()).isTrue();
      nics.origin().flush();
      long begin = System.nanoTime();
      while (fake.queuePairs() == before) { // the refusal is in the queue of completions then
        nics.poll(false);
        assertThat(System.nanoTime() - begin).as("ns").isLessThan(10_000_000_000L);
      }
      noDestroy.always("ibv_destroy_qp");
      assertThat(nics.origin().post(op.between(source, present).token(BEHIND)).isTaken()).isTrue();
      nics.origin().poll(nics.atOrigin());
      assertThat(nics.atOrigin().reportsOf(REFUSED)).isEqualTo(1);
      nics.until("the next connection", () -> nics.origin().post(op.token(LAST)).isTaken());
      nics.until("a write over it", () -> nics.atOrigin().reportsOf(LAST) > 0);
      nics.hear(SetUp.disconnect(2));
      nics.turn();
      assertThat(nics.atOrigin().reportsOf(BEHIND)).as("while it is kept").isZero();
      noDestroy.always(null);
      nics.until("a report", () -> nics.atOrigin().reportsOf(BEHIND) > 0);
      assertThat(nics.atOrigin().reports()).contains("written " + BEHIND);
      nics.close();
    }
    assertThat(fake.mistakes()).isEmpty();
  }

  /** As many as a stream has out when its region is revoked: not one connection for each. */
  @Test
  void areRefusedTogetherUnderTheSameKey() {
    TwoNics nics = FakeNics.open(fake, fake);
    try (Arena arena = Arena.ofShared()) {
      LocalMemory source = nics.source(arena.allocate(LENGTH));
      LocalMemory local = nics.openToOrigin(arena.allocate(LENGTH));
      RemoteMemory old = nics.named(local, LENGTH);
      nics.write(source, old, 1, i -> 0, 100, false);
      RemoteMemory present = nics.named(TwoNics.join(nics.target().revoke(local)), LENGTH);
      int made = fake.made();
      nics.write(source, old, 50, i -> 0, 100, true);
      nics.write(source, present, 1, i -> 0, 100, true);
      assertThat(nics.atOrigin().count("refused")).as("refused").isEqualTo(50);
      assertThat(nics.atOrigin().count("written")).as("written").isEqualTo(2);
      assertThat(nics.atTarget().reports()).containsExactly("imm 51");
      assertThat(fake.made() - made).as("queue pairs that were made").isEqualTo(2);
      nics.close();
    }
    assertThat(fake.mistakes()).isEmpty();
  }

  /** A card gives the key again that was free last, so that it names other memory by then. */
  @Test
  void areWrittenAlsoWhereOtherMemoryHasTheRefusedKeyMeanwhile() {
    TwoNics nics = FakeNics.open(fake, fake);
    try (Arena arena = Arena.ofShared()) {
      LocalMemory source = nics.source(arena.allocate(LENGTH));
      LocalMemory first = nics.openToOrigin(arena.allocate(LENGTH));
      RemoteMemory old = nics.named(first, LENGTH);
      nics.write(source, old, 1, i -> 0, 100, false);
      TwoNics.join(nics.target().deregister(first));
      RemoteMemory present = nics.named(nics.openToOrigin(arena.allocate(LENGTH)), LENGTH);
      assertThat(((RemoteVerbsMemory) present).rkey())
          .as("the key of what was registered later")
          .isEqualTo(((RemoteVerbsMemory) old).rkey());
      Operation op = new Operation().range(0, 0, 100).withoutImm();
      assertThat(nics.origin().post(op.between(source, old).token(REFUSED)).isTaken()).isTrue();
      assertThat(nics.origin().post(op.between(source, present).token(BEHIND)).isTaken()).isTrue();
      nics.origin().flush();
      nics.until("a report of the last", () -> nics.atOrigin().reportsOf(BEHIND) > 0);
      assertThat(nics.atOrigin().reports()).contains("refused " + REFUSED, "written " + BEHIND);
      nics.close();
    }
    assertThat(fake.mistakes()).isEmpty();
  }

  /** Nothing was wrong with them: they go the other way, over a queue pair of their own. */
  @Test
  void thoseOfTheTargetAreLeftAlone() {
    TwoNics nics = FakeNics.open(fake, fake);
    try (Arena arena = Arena.ofShared()) {
      LocalMemory source = nics.source(arena.allocate(LENGTH));
      LocalMemory local = nics.openToOrigin(arena.allocate(LENGTH));
      RemoteMemory old = nics.named(local, LENGTH);
      Operation back =
          new Operation()
              .between(
                  nics.sourceAtTarget(arena.allocate(LENGTH)),
                  nics.openToTarget(arena.allocate(LENGTH)))
              .range(0, 0, 100);
      nics.write(source, old, 1, i -> 0, 100, false);
      nics.until("a way back", () -> nics.target().post(back.token(0).withoutImm()).isTaken());
      nics.target().flush();
      nics.until("a write back", () -> nics.atTarget().count("written") == 1);
      TwoNics.join(nics.target().revoke(local));

      fake.hold(true);
      for (int i = 1; i <= 40; i++) {
        assertThat(nics.target().post(back.token(i).withImm(i)).isTaken()).isTrue();
      }
      nics.target().flush();
      Operation refused = new Operation().between(source, old).range(0, 0, 100).withoutImm();
      assertThat(nics.origin().post(refused.token(REFUSED)).isTaken()).isTrue();
      nics.origin().flush();
      fake.hold(false);
      nics.until("a refusal", () -> nics.atOrigin().reportsOf(REFUSED) > 0);
      nics.until("all of the target's", () -> nics.atTarget().reports().size() >= 41);
      assertThat(nics.atTarget().count("written")).as("written by the target").isEqualTo(41);
      nics.until("all immediates", () -> nics.atOrigin().count("imm") == 40);
      nics.close();
    }
    assertThat(fake.mistakes()).isEmpty();
  }

  @Test
  void areReportedWhereTheNextConnectionIsNotMade() {
    FailingVerbs failing = new FailingVerbs(fake, 0);
    behindARefusedWrite(
        failing.calls(), () -> failing.always("ibv_create_qp"), nics -> {}, "refused ");
  }

  @Test
  void areReportedWhereThePeerIsGivenUp() {
    behindARefusedWrite(slow(fake), () -> {}, TwoNics::disconnect, "refused ");
  }
}
