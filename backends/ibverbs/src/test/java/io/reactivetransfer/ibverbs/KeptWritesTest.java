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

  /** The target has seen the failure first, and begins anew before the origin has looked. */
  @Test
  void areWrittenAlsoWhereTheTargetHasBegunAnewFirst() {
    TwoNics nics = FakeNics.open(fake, fake);
    try (Arena arena = Arena.ofShared()) {
      LocalMemory source = nics.source(arena.allocate(LENGTH));
      LocalMemory local = nics.openToOrigin(arena.allocate(LENGTH));
      RemoteMemory old = nics.named(local, LENGTH);
      nics.write(source, old, 1, i -> 0, 100, false);
      RemoteMemory present = nics.named(TwoNics.join(nics.target().revoke(local)), LENGTH);
      Operation op = new Operation().range(0, 0, 100).withoutImm();
      assertThat(nics.origin().post(op.between(source, old).token(REFUSED)).isTaken()).isTrue();
      assertThat(nics.origin().post(op.between(source, present).token(BEHIND)).isTaken()).isTrue();
      nics.origin().flush();
      int before = fake.made();
      long begin = System.nanoTime();
      while (fake.made() == before) {
        nics.turnTarget();
        assertThat(System.nanoTime() - begin).as("ns").isLessThan(10_000_000_000L);
      }
      // It has made its next one. What it says of it comes before the origin is polled again.
      for (int turn = 0; turn < 1_000; turn++) {
        nics.turnTarget();
      }
      nics.until("a report of the last", () -> nics.atOrigin().reportsOf(BEHIND) > 0);
      assertThat(nics.atOrigin().reports()).contains("refused " + REFUSED, "written " + BEHIND);
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
