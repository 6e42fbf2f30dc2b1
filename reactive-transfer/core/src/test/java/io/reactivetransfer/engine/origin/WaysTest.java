package io.reactivetransfer.engine.origin;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Which ways are stuck is known by what has ended on each, and when. */
class WaysTest {

  private static final long GRACE = 1000;

  private final Ways ways = new Ways(3);

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
    Ways one = new Ways(1);
    one.posted(0);
    one.look(0, 0);
    assertThat(one.giveUp(100, GRACE)).isEqualTo(1);
    assertThat(one.giveUp(200, GRACE)).isEqualTo(1);
    one.ended(0, 1);
    assertThat(one.giveUp(300, GRACE)).isEqualTo(1);
  }
}
