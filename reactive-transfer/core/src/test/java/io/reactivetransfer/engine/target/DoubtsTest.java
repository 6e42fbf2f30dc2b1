package io.reactivetransfer.engine.target;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.EngineId;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What origins leave in doubt, also those that never come back. */
class DoubtsTest {

  private final Set<EngineId> lost = new HashSet<>();
  private final Doubts doubts = new Doubts(3, lost::contains);

  private static EngineId origin(int number) {
    return new EngineId(7, number);
  }

  /** Says who is to be given up. */
  private List<EngineId> add(int imm, EngineId origin) {
    List<EngineId> guilty = new ArrayList<>();
    doubts.add(imm, origin, "why", guilty::add);
    return guilty;
  }

  private List<EngineId> discarded(int imm) {
    List<EngineId> told = new ArrayList<>();
    doubts.discard(imm, told::add);
    return told;
  }

  @Test
  void whoCausedADoubtIsToldThatItIsDiscarded() {
    add(1, origin(1));
    add(1, origin(2));
    assertThat(discarded(1)).containsExactly(origin(1), origin(2));
    assertThat(doubts.holds(1)).isFalse();
    assertThat(doubts.origins()).isZero();
  }

  @Test
  void whoIsGoneForGoodIsNotRemembered() {
    for (int number = 0; number < 1_000; number++) {
      add(1, origin(number));
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
        add(number * each + i, origin(number));
      }
      doubts.forget(origin(number));
    }
    assertThat(doubts.size()).isEqualTo(Doubts.MAX_IN_ALL);
    assertThat(doubts.holds(0)).isFalse();
    assertThat(doubts.holds(4 * each - 1)).isTrue();
    assertThat(doubts.origins()).isZero();
  }

  private void fill() {
    int each = Doubts.MAX_PER_ORIGIN;
    for (int number = 0; number < Doubts.MAX_IN_ALL / each; number++) {
      for (int i = 0; i < each; i++) {
        assertThat(add(number * each + i, origin(number))).isEmpty();
      }
    }
  }

  @Test
  void whoLeavesMoreThanItMayIsGivenUpAndAllOfItStaysInDoubt() {
    for (int imm = 0; imm < Doubts.MAX_PER_ORIGIN; imm++) {
      assertThat(add(imm, origin(1))).isEmpty();
    }
    assertThat(add(Doubts.MAX_PER_ORIGIN, origin(1))).containsExactly(origin(1));
    assertThat(doubts.size()).isEqualTo(Doubts.MAX_PER_ORIGIN + 1);
    assertThat(doubts.holds(0)).isTrue();
    assertThat(doubts.holds(Doubts.MAX_PER_ORIGIN)).isTrue();
  }

  @Test
  void whoLeftMostMakesRoomForWhoLeavesTheFirst() {
    fill();
    EngineId guest = origin(9);
    assertThat(add(Doubts.MAX_IN_ALL, guest)).hasSize(1).doesNotContain(guest);
    assertThat(doubts.size()).isEqualTo(Doubts.MAX_IN_ALL);
    assertThat(doubts.isOf(Doubts.MAX_IN_ALL, guest)).isTrue();
    for (int i = 1; i < Doubts.MAX_PER_ORIGIN; i++) {
      assertThat(add(Doubts.MAX_IN_ALL + i, guest)).as("doubt %s of a guest", i).isEmpty();
    }
    assertThat(doubts.size()).isEqualTo(Doubts.MAX_IN_ALL);
  }

  @Test
  void whoIsLostMakesRoomBeforeWhoIsThereAndHasLeftMore() {
    int each = Doubts.MAX_PER_ORIGIN / 2;
    for (int i = 0; i < each; i++) {
      add(i, origin(1));
    }
    for (int i = each; i < 2 * each - 1; i++) {
      add(i, origin(2));
    }
    int imm = 2 * each;
    for (; !doubts.lacksRoom(imm, origin(3)); imm++) {
      add(imm, origin(imm % 2 == 0 ? 3 : 4));
    }
    lost.add(origin(1));
    lost.add(origin(2));
    assertThat(add(imm, origin(3))).containsExactly(origin(1));
    assertThat(doubts.isOf(imm, origin(3))).isTrue();
  }

  /** And to make room is to forget one of them, not one after the other. */
  @Test
  void whatSeveralLeftCountsForEachOfThem() {
    int each = Doubts.MAX_PER_ORIGIN;
    int room = Doubts.MAX_IN_ALL / each;
    for (int number = 0; number < room; number++) {
      for (int imm = 0; imm < each; imm++) {
        assertThat(add(imm, origin(number))).isEmpty();
      }
    }
    assertThat(doubts.size()).isEqualTo(each);
    assertThat(doubts.lacksRoom(0, origin(0))).as("what it left before").isFalse();
    assertThat(doubts.lacksRoom(0, origin(9))).isTrue();
    assertThat(add(0, origin(9))).hasSize(1).doesNotContain(origin(9));
    assertThat(doubts.isOf(0, origin(9))).isTrue();
    assertThat(doubts.origins()).isEqualTo(room);
    for (int imm = 0; imm < each; imm++) {
      discarded(imm);
    }
    fill(); // all of it is counted out again
  }

  @Test
  void ofWhatSeveralLeftTheLastMakesRoom() {
    int each = Doubts.MAX_PER_ORIGIN;
    for (int imm = 0; imm < each; imm++) {
      add(imm, origin(1));
      add(imm, origin(2));
    }
    doubts.forget(origin(1));
    for (int imm = 0; imm < each; imm++) {
      assertThat(add(each + imm, origin(3))).isEmpty();
    }
    assertThat(add(Doubts.MAX_IN_ALL, origin(9))).containsAnyOf(origin(2), origin(3));
    assertThat(doubts.size()).isEqualTo(Doubts.MAX_IN_ALL);
    assertThat(doubts.isOf(Doubts.MAX_IN_ALL, origin(9))).isTrue();
  }

  @Test
  void nothingIsLeftWhenAllIsDiscarded() {
    fill();
    add(Doubts.MAX_IN_ALL, origin(9));
    for (int imm = 0; imm <= Doubts.MAX_IN_ALL; imm++) {
      discarded(imm);
    }
    assertThat(doubts.isEmpty()).isTrue();
    assertThat(doubts.origins()).isZero();
  }

  @Test
  void whatOriginsSaidIsRememberedOfSoManyOnly() {
    for (int imm = 0; imm <= Doubts.MAX_TEXTS; imm++) {
      add(imm, origin(1));
    }
    assertThat(doubts.texts()).isEqualTo(Doubts.MAX_TEXTS);
    discarded(0);
    discarded(Doubts.MAX_TEXTS);
    assertThat(doubts.texts()).isEqualTo(Doubts.MAX_TEXTS - 1);
    add(0, origin(1));
    assertThat(doubts.texts()).isEqualTo(Doubts.MAX_TEXTS);
  }
}
