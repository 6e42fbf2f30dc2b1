package io.reactivetransfer.engine.target;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.EngineId;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Whose loss it is when arrivals are lost. */
class UnclaimedTest {

  private static final EngineId GUEST = new EngineId(2, 2);
  private static final int FLOODS = Unclaimed.MAX_LOST_IN_ALL / Unclaimed.MAX_LOST;

  private final Unclaimed unclaimed = new Unclaimed(2, 3);

  private static EngineId flood(int number) {
    return new EngineId(1, number);
  }

  /** As much as each of them may lose, so that nothing is left of what all may. */
  private void loseAllThatMayBeLost() {
    for (int number = 0; number < FLOODS; number++) {
      for (int i = 0; i < Unclaimed.MAX_LOST; i++) {
        assertThat(unclaimed.drop(flood(number), number * Unclaimed.MAX_LOST + i)).isNull();
      }
    }
  }

  @Test
  void whoLosesMoreThanItMayIsNamed() {
    for (int imm = 0; imm < Unclaimed.MAX_LOST; imm++) {
      assertThat(unclaimed.drop(GUEST, imm)).isNull();
    }
    Unclaimed.Share share = unclaimed.drop(GUEST, Unclaimed.MAX_LOST);
    assertThat(Objects.requireNonNull(share).origin).isEqualTo(GUEST);
    assertThat(unclaimed.drop(GUEST, 1)).as("it is named already").isNull();
    unclaimed.forgive(Objects.requireNonNull(unclaimed.left(GUEST)));
    for (int imm = 0; imm < Unclaimed.MAX_LOST; imm++) {
      assertThat(unclaimed.drop(GUEST, imm)).as("when it was there again").isNull();
    }
    assertThat(unclaimed.drop(GUEST, Unclaimed.MAX_LOST)).isNotNull();
  }

  @Test
  void whoHasLostMostMakesRoomForWhoLosesTheFirst() {
    loseAllThatMayBeLost();
    Unclaimed.Share guilty = unclaimed.drop(GUEST, 1 << 20);
    assertThat(Objects.requireNonNull(guilty).origin).isNotEqualTo(GUEST);
    for (int i = 1; i < Unclaimed.MAX_LOST; i++) {
      assertThat(unclaimed.drop(GUEST, (1 << 20) + i)).as("loss %s of a guest", i).isNull();
    }
  }

  @Test
  void whatIsLostIsForgottenWithWhoLostIt() {
    loseAllThatMayBeLost();
    for (int number = 0; number < FLOODS; number++) {
      unclaimed.forgive(Objects.requireNonNull(unclaimed.left(flood(number))));
    }
    assertThat(unclaimed.origins()).isZero();
    loseAllThatMayBeLost();
  }
}
