package io.reactivetransfer.engine.target;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.Imm;
import io.reactivetransfer.ImmLease;
import io.reactivetransfer.engine.TestParts;
import io.reactivetransfer.engine.base.Counters;
import io.reactivetransfer.engine.base.HandScheduler;
import io.reactivetransfer.engine.base.WireImm;
import io.reactivetransfer.engine.peers.AbortFrame;
import io.reactivetransfer.engine.peers.ControlFrame;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** What comes when a lease is over is nobody's, and stays nowhere. */
class ImmLeasesTest {

  private static final EngineId ORIGIN = new EngineId(1, 1);

  private final HandScheduler signals = new HandScheduler();
  private final TestParts parts = new TestParts(signals);
  private final ImmTable table = parts.imms(2);
  private final ImmLeases leases = new ImmLeases(parts.claims(table));
  private final ImmLease open = leases.lease(2);
  private final ImmLease closed = leases.lease(2);

  ImmLeasesTest() {
    parts.commands.begin(() -> {});
    parts.commands.owner().enter(); // all of a test is one turn
    closed.close();
    parts.commands.run(10);
    assertThat(leases.open()).isEqualTo(1);
  }

  private long unclaimed() {
    return parts.counters.get(Counters.UNCLAIMED_IMMS);
  }

  private void arrive(Imm imm) {
    table.arrived(ORIGIN, WireImm.encode(imm.value(), 1));
  }

  private void abort(Imm imm, long shares, int flags) {
    table.aborted(ORIGIN, new AbortFrame(1, imm.value(), shares, flags, "the origin says so"));
  }

  @Test
  void whatArrivesLateIsDropped() {
    arrive(closed.imm(0));
    arrive(closed.imm(1));
    assertThat(unclaimed()).isZero();
    arrive(open.imm(1));
    assertThat(unclaimed()).isEqualTo(1);
  }

  /** It may go over all leases that are open, or its thread may stand still. */
  @Test
  void noArrivalWaitsForWhoLooksForRoom() throws Exception {
    CountDownLatch held = new CountDownLatch(1);
    CountDownLatch over = new CountDownLatch(1);
    CompletableFuture<Boolean> searching =
        CompletableFuture.supplyAsync(() -> {
          synchronized (leases) { // as a search does
            held.countDown();
            return isReached(over);
          }
        });
    assertThat(isReached(held)).isTrue();
    arrive(closed.imm(0));
    arrive(open.imm(0));
    open.close();
    parts.commands.run(10);
    assertThat(leases.open()).isZero();
    over.countDown();
    assertThat(searching.get()).as("the search was still going on").isTrue();
  }

  private static boolean isReached(CountDownLatch latch) {
    try {
      return latch.await(20, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void whatIsTakenBackLateIsOwedByNobody() {
    abort(closed.imm(0), WireImm.SHARES, ControlFrame.FAILS | ControlFrame.NOTE);
    abort(closed.imm(1), 0, ControlFrame.DOUBT | ControlFrame.FAILS);
    assertThat(unclaimed()).isZero();
    assertThat(table.isInDoubt(closed.imm(1).value(), ORIGIN)).isFalse();
    abort(open.imm(0), 0, ControlFrame.DOUBT | ControlFrame.FAILS);
    assertThat(table.isInDoubt(open.imm(0).value(), ORIGIN)).isTrue();
  }

  @Test
  void aClaimThatIsReturnedLateLeavesNothing() {
    table.giveBack(closed.imm().value(), 3);
    assertThat(unclaimed()).isZero();
    table.giveBack(open.imm().value(), 3);
    assertThat(unclaimed()).isEqualTo(1);
  }

  /** Who holds an immediate between two claims holds it no longer than its lease. */
  @Test
  void whatArrivesLateWhileItIsStillHeldIsDropped() {
    int imm = open.imm(0).value();
    table.hold(imm, reason -> {});
    open.close();
    parts.commands.run(10);
    arrive(open.imm(0));
    AtomicBoolean isMet = new AtomicBoolean();
    parts
        .claims(table)
        .counter(open.imm(0), () -> false) // of the next one that leases it
        .next(1)
        .subscribe(nothing -> {}, failure -> {}, () -> isMet.set(true));
    parts.commands.run(10);
    signals.runUntilIdle();
    assertThat(isMet).isFalse();
  }

  /** What one claim of two had counted is nobody's, and does not meet the other one. */
  @Test
  void everyClaimFailsWithItsLease() {
    List<String> ends = new ArrayList<>();
    for (long writes : new long[] {2, 1}) {
      parts
          .claims(table)
          .counter(open.imm(0), () -> false)
          .next(writes)
          .subscribe(nothing -> {}, failure -> ends.add("failed"), () -> ends.add("met"));
    }
    parts.commands.run(10);
    arrive(open.imm(0));
    open.close();
    parts.commands.run(10);
    signals.runUntilIdle();
    assertThat(ends).containsExactly("failed", "failed");
  }

  @Test
  void whatWasNeverLeasedIsKeptAsEver() {
    arrive(Imm.of(Imm.FIRST_LEASED + 4));
    arrive(Imm.of(Imm.FIRST_LEASED - 1));
    assertThat(unclaimed()).isEqualTo(2);
  }
}
