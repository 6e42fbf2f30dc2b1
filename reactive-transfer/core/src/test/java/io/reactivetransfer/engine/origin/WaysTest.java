package io.reactivetransfer.engine.origin;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Which ways are stuck, and which are silent, is known by what has ended on each, and when. */
class WaysTest {

  private static final long GRACE = 1000;
  private static final long QUIET = GRACE / 4;

  private final Ways ways = new Ways(3, QUIET);

  private void post(int... nics) {
    for (int nic : nics) {
      ways.posted(nic);
    }
  }

  @Test
  void thoseOnWhichNothingEndsAreStuck() {
    post(0, 1, 2, 2);
    ways.look(0, 0);
    ways.ended(2, 1);
    ways.look(500, 0);
    ways.look(1000, 0);
    assertThat(ways.giveUp(1000, GRACE)).isEqualTo(0b011);
  }

  @Test
  void thoseThatHaveNothingOutAreNot() {
    post(0, 1, 2);
    ways.ended(1, 1);
    ways.look(0, 0);
    ways.ended(2, 1);
    ways.look(1000, 0);
    assertThat(ways.giveUp(1000, GRACE)).isEqualTo(0b001);
  }

  @Test
  void whatWasPostedSinceTheLastLookIsNotOlderThanThat() {
    post(0);
    ways.look(0, 0);
    post(1);
    ways.look(1000, 0);
    assertThat(ways.giveUp(1000, GRACE)).isEqualTo(0b001);
    ways.ended(0, 1);
    ways.look(1900, 0);
    post(0, 2);
    ways.look(2000, 0);
    assertThat(ways.giveUp(2000, GRACE)).isEqualTo(0b010);
  }

  @Test
  void theLookThatSawTheLastChangeMayHaveComeLate() {
    post(0, 0, 1, 1, 1);
    ways.look(0, 0);
    ways.ended(0, 1);
    ways.ended(1, 1);
    ways.look(400, 0);
    ways.ended(1, 1);
    ways.look(500, 0);
    ways.look(1000, 0);
    assertThat(ways.giveUp(1000, GRACE)).isEqualTo(0b001);
  }

  @Test
  void ifAllGoOnAllAreGivenUp() {
    post(0, 0, 1);
    ways.look(0, 0);
    ways.ended(0, 1);
    ways.ended(1, 1);
    ways.look(600, 0);
    ways.look(1000, 0);
    assertThat(ways.giveUp(1000, GRACE)).isEqualTo(0b111);
  }

  @Test
  void whatWasGivenUpIsWaitedForBeforeOthersAre() {
    post(0, 0, 1, 1, 1);
    ways.look(0, 0);
    ways.ended(1, 1);
    ways.look(1000, 0);
    assertThat(ways.giveUp(1000, GRACE)).isEqualTo(0b001);
    ways.ended(0, 1);
    ways.look(1600, 0);
    assertThat(ways.giveUp(1600, GRACE)).isEqualTo(0b001);
    ways.ended(0, 1);
    ways.ended(1, 1);
    ways.look(1700, 0);
    assertThat(ways.giveUp(1700, GRACE)).isEqualTo(0b111);
  }

  @Test
  void aNicThatDoesNotEndItHoldsUpNoOtherForLong() {
    post(0, 0, 1, 1, 1);
    ways.look(0, 0);
    ways.ended(1, 1);
    ways.look(1000, 0);
    assertThat(ways.giveUp(1000, GRACE)).isEqualTo(0b001);
    ways.ended(0, 1);
    ways.ended(1, 1);
    ways.look(1900, 0);
    assertThat(ways.giveUp(1999, GRACE)).isEqualTo(0b001);
    assertThat(ways.giveUp(2000, GRACE)).isEqualTo(0b111);
  }

  @Test
  void timeInWhichNobodyLookedIsNotCounted() {
    post(0, 1, 1);
    ways.look(0, 0);
    ways.look(600, 0);
    ways.ended(1, 1);
    ways.look(700, 0);
    ways.look(5000, 4200);
    ways.look(5000, 4200); // once at each moment
    assertThat(ways.giveUp(5000, GRACE)).isEqualTo(0b001); // 800 and 100
  }

  @Test
  void aNicThatIsAloneIsTheOneThatIsGivenUp() {
    Ways one = new Ways(1, QUIET);
    one.posted(0);
    one.look(0, 0);
    assertThat(one.giveUp(100, GRACE)).isEqualTo(1);
    assertThat(one.giveUp(200, GRACE)).isEqualTo(1);
    one.ended(0, 1);
    assertThat(one.giveUp(300, GRACE)).isEqualTo(1);
  }

  // ---- silent ones ----

  /** A look for silent ways at that time, before which nothing was refused. */
  private int avoidedAt(long now) {
    ways.lookForSilent(now, 0);
    return ways.avoided(0);
  }

  @Test
  void whereNothingEndsForAWhileNothingMoreGoes() {
    post(0, 1, 1);
    assertThat(avoidedAt(-100)).isEqualTo(0);
    ways.ended(1, 1);
    assertThat(avoidedAt(QUIET - 101)).isEqualTo(0);
    assertThat(avoidedAt(QUIET - 100)).isEqualTo(0b001);
    assertThat(ways.out(0b001)).isEqualTo(1);
    assertThat(ways.out(0b110)).isEqualTo(1);
    assertThat(avoidedAt(2 * QUIET - 101)).as("with the second one, which is").isEqualTo(0b011);
  }

  @Test
  void whereNothingIsOutNothingIsToEnd() {
    assertThat(avoidedAt(0)).isEqualTo(0);
    assertThat(avoidedAt(QUIET)).isEqualTo(0);
    post(0);
    assertThat(avoidedAt(2 * QUIET)).as("it was posted since the last look").isEqualTo(0);
    ways.ended(0, 1);
    assertThat(avoidedAt(3 * QUIET)).isEqualTo(0);
  }

  @Test
  void anEndBringsASilentWayBackAtOnce() {
    post(0, 0, 1);
    avoidedAt(0);
    assertThat(avoidedAt(QUIET)).isEqualTo(0b011);
    ways.ended(0, 1);
    assertThat(ways.avoided(0)).isEqualTo(0b010);
    assertThat(avoidedAt(QUIET + 1)).isEqualTo(0b010);
    assertThat(avoidedAt(2 * QUIET)).isEqualTo(0b010);
    assertThat(avoidedAt(2 * QUIET + 1)).as("it has one left").isEqualTo(0b011);
  }

  @Test
  void whereNoOtherIsLeftNoneIsAvoided() {
    post(0, 1);
    avoidedAt(0);
    assertThat(avoidedAt(QUIET)).isEqualTo(0b011);
    assertThat(ways.avoided(0b100)).isEqualTo(0);
    assertThat(ways.avoided(0b010)).isEqualTo(0b011);
    post(2);
    avoidedAt(QUIET + 1);
    assertThat(avoidedAt(2 * QUIET + 1)).isEqualTo(0);
  }

  @Test
  void timeInWhichNobodyLookedIsNoSilence() {
    post(0, 1);
    avoidedAt(0);
    ways.lookForSilent(5000, 5000 - QUIET);
    assertThat(ways.avoided(0)).isEqualTo(0);
    ways.ended(1, 1);
    assertThat(avoidedAt(5000 + QUIET)).isEqualTo(0b001);
    ways.lookForSilent(9000, 2000);
    assertThat(ways.avoided(0)).as("it was before").isEqualTo(0b001);
  }

  @Test
  void ifTheOthersRefuseAndNothingIsPostedNoneIsAvoided() {
    post(0);
    avoidedAt(0);
    assertThat(avoidedAt(QUIET)).isEqualTo(0b001);
    refusedAt(2 * QUIET, 0b001, "for a moment only, as far as is known");
    refusedAt(3 * QUIET, 0, "all the while");
    assertThat(avoidedAt(4 * QUIET)).as("until the next look").isEqualTo(0b001);
    refusedAt(5 * QUIET, 0b001, "for a moment only, as far as is known");
    post(1);
    refusedAt(6 * QUIET, 0b001, "after another one had taken something");
    assertThat(avoidedAt(7 * QUIET)).as("nobody was refused").isEqualTo(0b011);
    refusedAt(8 * QUIET, 0b011, "for a moment only, as far as is known");
    ways.heldBack();
    ways.lookForSilent(10 * QUIET, QUIET + 1);
    assertThat(ways.avoided(0)).as("nobody could post meanwhile").isEqualTo(0b011);
    refusedAt(11 * QUIET, 0b011, "nobody knows since when");
    refusedAt(12 * QUIET, 0, "all the while");
  }

  /** A look for silent ways at that time, since the one before which the others have refused. */
  private void refusedAt(long now, int avoided, String why) {
    ways.heldBack();
    ways.lookForSilent(now, 0);
    assertThat(ways.avoided(0)).as("refused %s", why).isEqualTo(avoided);
  }
}
