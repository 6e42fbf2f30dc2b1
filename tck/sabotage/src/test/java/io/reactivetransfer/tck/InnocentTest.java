package io.reactivetransfer.tck;

import static io.reactivetransfer.tck.SabotageCheck.INNOCENT;
import static io.reactivetransfer.tck.SabotageCheck.brokenRules;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** What the saboteurs are made of has no defect of its own. */
// A usual build has the kit acquit the backends of this tree.
@Tag("merge")
@Timeout(600)
class InnocentTest {

  /**
   * Not in a usual build: each saboteur breaks one rule and no other there, and {@link
   * PeculiarityTest} runs much of the kit through the same parts.
   */
  @Test
  @EnabledIfSystemProperty(named = SabotageCheck.ALL_PROPERTY, matches = "true")
  void withoutASaboteurNothingIsBroken() {
    assertThat(brokenRules(Saboteur.NONE, INNOCENT, "")).isEmpty();
  }

  @Test
  void aNicWithDescriptorsOrALoopBreaksNothing() {
    assertThat(brokenRules(WaitSaboteurs.NONE_WITH_DESCRIPTORS, INNOCENT, "r17_")).isEmpty();
    assertThat(brokenRules(WaitSaboteurs.NONE_WITH_LOOP, INNOCENT, "r17_")).isEmpty();
  }

  /** A usual build has the saboteur of such writes found, and nobody acquitted who takes them. */
  @Test
  @Tag("nightly")
  void aNicThatTakesLongWritesBreaksNothing() {
    assertThat(brokenRules(SizeSaboteurs.NONE_WITH_LONG_WRITES, INNOCENT, "r24_1_")).isEmpty();
  }
}
