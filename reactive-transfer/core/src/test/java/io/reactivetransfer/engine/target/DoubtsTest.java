package io.reactivetransfer.engine.target;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.EngineId;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What origins leave in doubt, also those that never come back. */
class DoubtsTest {

  private final Doubts doubts = new Doubts(3);

  private static EngineId origin(int number) {
    return new EngineId(7, number);
  }

  private List<EngineId> discarded(int imm) {
    List<EngineId> told = new ArrayList<>();
    doubts.discard(imm, told::add);
    return told;
  }

  @Test
  void whoCausedADoubtIsToldThatItIsDiscarded() {
    doubts.add(1, origin(1), "why");
    doubts.add(1, origin(2), "why");
    assertThat(discarded(1)).containsExactly(origin(1), origin(2));
    assertThat(doubts.holds(1)).isFalse();
    assertThat(doubts.origins()).isZero();
  }

  @Test
  void whoIsGoneForGoodIsNotRemembered() {
    for (int number = 0; number < 1_000; number++) {
      doubts.add(1, origin(number), "why");
      doubts.forget(origin(number));
    }
    assertThat(doubts.origins()).isZero();
    assertThat(doubts.holds(1)).as("only the application ends it").isTrue();
    assertThat(discarded(1)).isEmpty();
  }

  @Test
  void thoseOfWhoIsGoneMakeRoomWhenTheyAreTooMany() {
    int each = Doubts.MAX_PER_ORIGIN;
    for (int number = 0; number < 4; number++) {
      for (int i = 0; i < each; i++) {
        doubts.add(number * each + i, origin(number), "why");
      }
      doubts.forget(origin(number));
    }
    assertThat(doubts.size()).isEqualTo(Doubts.MAX_IN_ALL);
    assertThat(doubts.holds(0)).isFalse();
    assertThat(doubts.holds(4 * each - 1)).isTrue();
    assertThat(doubts.origins()).isZero();
  }

  @Test
  void thoseOfWhoIsThereMakeNone() {
    int each = Doubts.MAX_PER_ORIGIN;
    for (int number = 0; number < 3; number++) {
      for (int i = 0; i < each; i++) {
        doubts.add(number * each + i, origin(number), "why");
      }
    }
    assertThat(doubts.size()).isEqualTo(Doubts.MAX_IN_ALL);
    assertThat(doubts.holds(0)).isTrue();
    assertThat(doubts.origins()).as("the third one is beyond").isEqualTo(3);
    doubts.forget(origin(2));
    assertThat(doubts.origins()).isEqualTo(2);
  }

  @Test
  void whatOriginsSaidIsRememberedOfSoManyOnly() {
    for (int imm = 0; imm <= Doubts.MAX_TEXTS; imm++) {
      doubts.add(imm, origin(1), "why");
    }
    assertThat(doubts.texts()).isEqualTo(Doubts.MAX_TEXTS);
    discarded(0);
    discarded(Doubts.MAX_TEXTS);
    assertThat(doubts.texts()).isEqualTo(Doubts.MAX_TEXTS - 1);
    doubts.add(0, origin(1), "why");
    assertThat(doubts.texts()).isEqualTo(Doubts.MAX_TEXTS);
  }
}
