package io.reactivetransfer.engine.target;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.engine.base.WireImm;
import org.junit.jupiter.api.Test;

/** An origin takes back what it has sent, and what may be on its way. */
class TakenBackTest {

  private static final EngineId ONE = new EngineId(1, 1);
  private static final EngineId TWO = new EngineId(2, 2);
  private static final long LATE = TakenBack.LATE * WireImm.SHARES;
  private static final long ALL = 1L << 56;

  private final TakenBack takenBack = new TakenBack();

  @Test
  void whatHasComeIsBelievedOnce() {
    takenBack.came(ONE, 7);
    takenBack.came(TWO, 3);
    assertThat(takenBack.believed(ONE, WireImm.SHARES)).isEqualTo(WireImm.SHARES);
    assertThat(takenBack.believed(ONE, ALL)).isEqualTo(6L * WireImm.SHARES + LATE);
    assertThat(takenBack.believed(ONE, ALL)).isZero();
    takenBack.came(ONE, 1);
    assertThat(takenBack.believed(ONE, ALL)).as("of what was late").isEqualTo(WireImm.SHARES);
    assertThat(takenBack.believed(TWO, ALL)).isEqualTo(3L * WireImm.SHARES + LATE);
  }

  @Test
  void whatNobodyIsNamedForMayBeOfAny() {
    takenBack.came(null, 5);
    assertThat(takenBack.believed(ONE, ALL)).isEqualTo(5L * WireImm.SHARES + LATE);
    assertThat(takenBack.believed(TWO, ALL)).isEqualTo(5L * WireImm.SHARES + LATE);
  }

  /** Whoever comes back later may still take back what it had sent. */
  @Test
  void moreOriginsAreNotToldApart() {
    takenBack.came(ONE, 9);
    for (int i = 0; i < TakenBack.MAX_ORIGINS; i++) {
      takenBack.came(new EngineId(3, i), 1);
    }
    assertThat(takenBack.origins()).isEqualTo(TakenBack.MAX_ORIGINS);
    assertThat(takenBack.believed(ONE, ALL)).isBetween(9L * WireImm.SHARES + LATE, ALL - 1);
  }
}
