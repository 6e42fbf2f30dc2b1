package io.reactivetransfer.tck;

import static io.reactivetransfer.tck.SabotageCheck.LONG;
import static io.reactivetransfer.tck.SabotageCheck.brokenRules;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What the saboteurs are made of has no defect of its own. */
@Timeout(300)
class InnocentTest {

  @Test
  void withoutASaboteurNothingIsBroken() {
    assertThat(brokenRules(Saboteur.NONE, LONG, "")).isEmpty();
  }

  @Test
  void aNicWithDescriptorsOrALoopBreaksNothing() {
    assertThat(brokenRules(WaitSaboteurs.NONE_WITH_DESCRIPTORS, LONG, "r17_")).isEmpty();
    assertThat(brokenRules(WaitSaboteurs.NONE_WITH_LOOP, LONG, "r17_")).isEmpty();
  }

  @Test
  void aNicThatTakesLongWritesBreaksNothing() {
    assertThat(brokenRules(SizeSaboteurs.NONE_WITH_LONG_WRITES, LONG, "r24_1_")).isEmpty();
  }
}
