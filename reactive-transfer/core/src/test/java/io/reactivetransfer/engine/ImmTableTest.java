package io.reactivetransfer.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.TransferFailedException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The rules of counting, without an engine around them. */
class ImmTableTest {

  private final HandScheduler signals = new HandScheduler();
  private final Worker worker = TestWorker.of(o -> o.signalScheduler(signals));
  private final ImmTable table = new ImmTable(worker, 2);
  private final List<String> told = new ArrayList<>();

  private Claim claim(String name, int imm, long writes) {
    Claim claim =
        new Claim(
            worker,
            imm,
            writes,
            List.of(),
            0,
            new Claim.Listener() {
              @Override
              public void met() {
                told.add(name);
              }

              @Override
              public void failed(Throwable reason) {
                told.add(name + " failed: " + reason.getMessage());
              }
            });
    table.add(claim);
    return claim;
  }

  private void arrive(int imm, int pieces) {
    table.arrived(WireImm.encode(imm, pieces));
    signals.runUntilIdle();
  }

  private long unclaimed() {
    return worker.counters().snapshot().unclaimedImms();
  }

  @Test
  void arrivalsThatNobodyAskedForAreKept() {
    arrive(1, 1);
    arrive(1, 2);
    assertThat(unclaimed()).isEqualTo(1);
    claim("a", 1, 1);
    claim("b", 1, 1);
    signals.runUntilIdle();
    assertThat(told).containsExactly("a");
    assertThat(unclaimed()).isZero();
    arrive(1, 2);
    assertThat(told).containsExactly("a", "b");
  }

  @Test
  void whatIsReturnedGoesToTheNextClaim() {
    claim("a", 1, 5);
    table.giveBack(1, 3);
    signals.runUntilIdle();
    assertThat(told).isEmpty();
    table.giveBack(1, 2);
    signals.runUntilIdle();
    assertThat(told).containsExactly("a");
    table.giveBack(2, 7);
    assertThat(table.discard(2)).isEqualTo(7);
    assertThat(unclaimed()).isZero();
  }

  @Test
  void aClaimThatFailsLeavesItsArrivalsToTheNext() {
    Claim first = claim("first", 1, 3);
    claim("second", 1, 2);
    arrive(1, 1);
    arrive(1, 1);
    table.fail(first, new IllegalStateException("told so"));
    signals.runUntilIdle();
    assertThat(told).containsExactly("first failed: told so", "second");
    table.fail(first, new IllegalStateException("again"));
    signals.runUntilIdle();
    assertThat(told).hasSize(2);
  }

  @Test
  void anImmediateThatSomeoneWaitsForIsNotUnclaimed() {
    claim("one", 1, 10);
    claim("two", 2, 10);
    claim("three", 3, 10);
    for (int imm = 1; imm <= 3; imm++) {
      arrive(imm, 1);
    }
    assertThat(unclaimed()).isZero();
    arrive(4, 1);
    arrive(5, 1);
    assertThat(unclaimed()).isEqualTo(2);
    assertThat(worker.counters().snapshot().droppedImms()).isZero();
  }

  @Test
  void whatIsLostIsLoud() {
    arrive(4, 1);
    arrive(5, 1);
    arrive(6, 1);
    arrive(7, 1);
    assertThat(worker.counters().snapshot().droppedImms()).isEqualTo(2);
    claim("four", 4, 1);
    claim("seven", 7, 1);
    signals.runUntilIdle();
    assertThat(told.get(0)).isEqualTo("four");
    assertThat(told.get(1)).startsWith("seven failed: 2 arrivals were lost").contains("6");
    // there is room again, but what was lost is lost
    arrive(7, 1);
    claim("seven again", 7, 1);
    signals.runUntilIdle();
    assertThat(told.get(2)).isEqualTo("seven again");
  }

  @Test
  void closedItFailsAllAndEveryLaterClaim() {
    claim("one", 1, 1);
    claim("two", 1, 1);
    claim("three", 2, 1);
    arrive(3, 1);
    table.close(new TransferFailedException("over"));
    claim("late", 3, 1);
    signals.runUntilIdle();
    assertThat(told)
        .containsExactlyInAnyOrder(
            "one failed: over", "two failed: over", "three failed: over", "late failed: over");
    assertThat(worker.counters().snapshot().pendingClaims()).isZero();
    arrive(1, 1); // nobody cares, nothing breaks
  }

  @Test
  void largeClaimsDoNotOverflow() {
    claim("all", 1, 1L << 40);
    table.giveBack(1, (1L << 40) - 1);
    signals.runUntilIdle();
    assertThat(told).isEmpty();
    arrive(1, 1);
    assertThat(told).containsExactly("all");
    assertThat(table.discard(1)).isZero();
  }
}
