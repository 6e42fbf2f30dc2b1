package io.reactivetransfer.tck;

import static io.reactivetransfer.tck.SabotageCheck.INNOCENT;
import static io.reactivetransfer.tck.SabotageCheck.brokenRules;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What the saboteurs are made of has no defect of its own. */
@Timeout(600)
class InnocentTest {

  @Test
  void withoutASaboteurNothingIsBroken() {
    assertThat(brokenRules(Saboteur.NONE, INNOCENT, "")).isEmpty();
  }

  @Test
  void aNicWithDescriptorsOrALoopBreaksNothing() {
    assertThat(brokenRules(WaitSaboteurs.NONE_WITH_DESCRIPTORS, INNOCENT, "r17_")).isEmpty();
    assertThat(brokenRules(WaitSaboteurs.NONE_WITH_LOOP, INNOCENT, "r17_")).isEmpty();
  }

  @Test
  void aNicThatTakesLongWritesBreaksNothing() {
    assertThat(brokenRules(SizeSaboteurs.NONE_WITH_LONG_WRITES, INNOCENT, "r24_1_")).isEmpty();
  }
}
