package io.reactivetransfer.ibverbs;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Slots leave a lane in the order in which they came. */
class LaneTest {

  private final Arena arena = Arena.ofConfined();
  private final SendSlots slots = new SendSlots(arena, 5);
  private final Lane lane = new Lane(slots);

  @AfterEach
  void free() {
    arena.close();
  }

  @Test
  void whatComesFirstLeavesFirst() {
    assertThat(lane.isEmpty()).isTrue();
    lane.add(3);
    lane.add(0);
    lane.add(4);
    assertThat(lane.size()).isEqualTo(3);
    assertThat(lane.first()).isEqualTo(3);
    assertThat(lane.last()).isEqualTo(4);
    assertThat(lane.remove()).isEqualTo(3);
    lane.add(3);
    assertThat(lane.remove()).isZero();
    assertThat(lane.remove()).isEqualTo(4);
    assertThat(lane.remove()).isEqualTo(3);
    assertThat(lane.isEmpty()).isTrue();
  }

  @Test
  void aSlotThatLeftOneLaneCanBeInAnother() {
    Lane other = new Lane(slots);
    lane.add(1);
    lane.add(2);
    other.add(lane.remove());
    other.add(lane.remove());
    lane.add(0);
    assertThat(other.remove()).isEqualTo(1);
    assertThat(other.remove()).isEqualTo(2);
    assertThat(other.isEmpty()).isTrue();
    assertThat(lane.remove()).isZero();
    assertThat(lane.isEmpty()).isTrue();
  }
}
