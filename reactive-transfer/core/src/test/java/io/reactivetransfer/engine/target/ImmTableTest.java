package io.reactivetransfer.engine.target;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.TransferFailedException;
import io.reactivetransfer.engine.TestParts;
import io.reactivetransfer.engine.base.Counters;
import io.reactivetransfer.engine.base.HandScheduler;
import io.reactivetransfer.engine.base.WireImm;
import io.reactivetransfer.engine.peers.AbortFrame;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The rules of counting, without an engine around them. */
class ImmTableTest {

  private static final EngineId FLOOD = new EngineId(1, 1);
  private static final EngineId GUEST = new EngineId(2, 2);

  private final HandScheduler signals = new HandScheduler();
  private final TestParts parts = new TestParts(signals);
  private final ImmTable table = parts.imms(2);
  private final Claims claims = parts.claims(table);
  private final List<String> told = new ArrayList<>();

  private Claim claim(String name, int imm, long writes) {
    Claim claim =
        new Claim(
            new ClaimTerms(claims, imm, List.of(), 0, () -> false, null),
            writes,
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

  private void arriveFrom(EngineId origin, int imm) {
    table.arrived(origin, WireImm.encode(imm, 1));
    signals.runUntilIdle();
  }

  private void arrive(int imm, int pieces) {
    table.arrived(null, WireImm.encode(imm, pieces));
    signals.runUntilIdle();
  }

  private long unclaimed() {
    return parts.counters.get(Counters.UNCLAIMED_IMMS);
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
    assertThat(parts.counters.get(Counters.DROPPED_IMMS)).isZero();
  }

  @Test
  void whatIsLostIsLoud() {
    arrive(4, 1);
    arrive(5, 1);
    arrive(6, 1);
    arrive(7, 1);
    assertThat(parts.counters.get(Counters.DROPPED_IMMS)).isEqualTo(2);
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
  void onlyClaimsOnWhatWasLostFailAndOnce() {
    for (int imm = 4; imm <= 7; imm++) {
      arrive(imm, 1);
    }
    claim("other", 9, 1);
    claim("seven", 7, 1);
    claim("seven again", 7, 1);
    signals.runUntilIdle();
    assertThat(told).singleElement().asString().startsWith("seven failed");
    arrive(9, 1);
    arrive(7, 1);
    assertThat(told.subList(1, 3)).containsExactly("other", "seven again");
  }

  @Test
  void eachOriginHasAShareOfItsOwn() {
    for (int imm = 10; imm < 20; imm++) {
      arriveFrom(FLOOD, imm);
    }
    assertThat(parts.counters.get(Counters.DROPPED_IMMS)).isEqualTo(8);
    arriveFrom(GUEST, 30);
    claim("guest", 30, 1);
    claim("flood", 19, 1);
    signals.runUntilIdle();
    assertThat(told.get(0)).isEqualTo("guest");
    assertThat(told.get(1)).startsWith("flood failed: 8 arrivals of engine");
  }

  @Test
  void whatAFloodHasLeftEndsWhenItLeaves() {
    for (int imm = 10; imm < 20; imm++) {
      arriveFrom(FLOOD, imm);
    }
    arriveFrom(GUEST, 10);
    arriveFrom(GUEST, 30);
    table.strangerLost(FLOOD);
    table.strangerLost(GUEST);
    assertThat(unclaimed()).as("10, which is of both, and 30").isEqualTo(2);
    claim("thirty", 30, 1);
    claim("nineteen", 19, 1);
    signals.runUntilIdle();
    assertThat(told).containsExactly("thirty");
    arriveFrom(GUEST, 19);
    assertThat(told).containsExactly("thirty", "nineteen");
  }

  @Test
  void whatThoseHaveLeftThatAreGoneMakesRoomInTheEnd() {
    for (int i = 0; i < 100; i++) {
      EngineId guest = new EngineId(3, i);
      arriveFrom(guest, 100 + i);
      table.strangerLost(guest);
    }
    assertThat(unclaimed()).isLessThanOrEqualTo(8);
    arriveFrom(GUEST, 30);
    claim("thirty", 30, 1);
    claim("the last one", 199, 1);
    signals.runUntilIdle();
    assertThat(told).containsExactly("thirty", "the last one");
  }

  @Test
  void discardingForgetsWhatWasLost() {
    for (int imm = 4; imm <= 7; imm++) {
      arrive(imm, 1);
    }
    table.discard(7);
    claim("seven", 7, 1);
    signals.runUntilIdle();
    assertThat(told).isEmpty();
    arrive(7, 1);
    assertThat(told).containsExactly("seven");
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
    assertThat(parts.counters.get(Counters.PENDING_CLAIMS)).isZero();
    arrive(1, 1); // nobody cares, nothing breaks
  }

  /** What one had counted does not meet the next one, for which the engine closes as well. */
  @Test
  void closedItMeetsNobodyBehindOneThatFails() {
    claim("one", 1, 2);
    claim("two", 1, 1);
    arrive(1, 1);
    table.close(new TransferFailedException("over"));
    signals.runUntilIdle();
    assertThat(told).containsExactly("one failed: over", "two failed: over");
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

  private void takeBack(EngineId origin, int imm, long shares) {
    table.aborted(origin, new AbortFrame(1, imm, shares, 0, ""));
  }

  @Test
  void whatIsOwedIsForgottenWhileAClaimWaits() {
    claim("one", 1, 1);
    takeBack(GUEST, 1, 3 * WireImm.SHARES);
    arrive(1, 1);
    assertThat(told).isEmpty();
    assertThat(table.discard(1)).isZero();
    arrive(1, 1);
    assertThat(told).containsExactly("one");
  }

  @Test
  void whatHasComeOfAClaimThatWaitsIsKept() {
    claim("two", 1, 2);
    arrive(1, 1);
    assertThat(table.discard(1)).isZero();
    arrive(1, 1);
    assertThat(told).containsExactly("two");
  }

  @Test
  void nobodyOwesWhatNobodyHasSent() {
    takeBack(GUEST, 1, 1L << 56);
    assertThat(parts.defects.count()).isEqualTo(1);
    claim("one", 1, 1);
    table.giveBack(1, TakenBack.LATE);
    signals.runUntilIdle();
    assertThat(told).isEmpty();
    arrive(1, 1);
    assertThat(told).containsExactly("one");
  }

  /** Where the NIC does not say who wrote, nobody can leave. */
  @Test
  void whatIsBeyondCountingEndsWhenAllIsTakenOfThoseOfWhomNothingIsKnown() {
    for (int imm = 0; imm < 2 + Unclaimed.MAX_LOST + 1; imm++) {
      table.arrived(null, WireImm.encode(imm, 1));
    }
    claim("before", 1_000_000, 1);
    signals.runUntilIdle();
    assertThat(told).hasSize(1).allMatch(text -> text.contains("were lost"));
    table.discard(0);
    table.discard(1);
    claim("after", 1_000_001, 1);
    signals.runUntilIdle();
    assertThat(told).hasSize(1);
  }
}
