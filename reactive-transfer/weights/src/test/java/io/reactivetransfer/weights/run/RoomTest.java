package io.reactivetransfer.weights.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.weights.plan.Runs;
import io.reactivetransfer.weights.plan.Step;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Steps that have room at the same time share no byte, whatever order they are done in. */
class RoomTest {

  @Test
  void stepsThatHaveRoomAtOnceLieApart() {
    for (int seed = 0; seed < 2_000; seed++) {
      Random random = new Random(seed);
      long capacity = 1 + random.nextInt(1_000);
      Room room = new Room(capacity);
      List<StepState> steps = new ArrayList<>();
      long all = 0;
      for (int i = 0; i < 40; i++) {
        long bytes = 1 + random.nextInt((int) capacity) / (1 + random.nextInt(8));
        Step step = new Step.Write(i, 0, Runs.builder().build());
        StepState state = new StepState(step, "w", 0, Math.min(bytes, capacity));
        room.place(state);
        steps.add(state);
        all += state.temporaryBytes;
      }
      assertThat(room.extent()).isLessThanOrEqualTo(capacity);
      steps.forEach(StepState::reset);
      run(random, steps, capacity, all);
    }
  }

  private static void run(Random random, List<StepState> steps, long capacity, long all) {
    List<StepState> inRoom = new ArrayList<>();
    int next = 0;
    long most = 0;
    while (next < steps.size() || !inRoom.isEmpty()) {
      while (next < steps.size() && steps.get(next).waitsFor == 0) {
        StepState step = steps.get(next++);
        assertThat(step.offset + step.temporaryBytes).isLessThanOrEqualTo(capacity);
        for (StepState other : inRoom) {
          boolean isApart =
              step.offset >= other.offset + other.temporaryBytes
                  || other.offset >= step.offset + step.temporaryBytes;
          assertThat(isApart).isTrue();
        }
        inRoom.add(step);
      }
      assertThat(inRoom).as("somebody has room").isNotEmpty();
      most = Math.max(most, inRoom.stream().mapToLong(step -> step.temporaryBytes).sum());
      StepState done = inRoom.remove(random.nextInt(inRoom.size()));
      if (done.successor != null) {
        done.successor.waitsFor--;
      }
    }
    assertThat(most).isLessThanOrEqualTo(Math.min(capacity, all));
  }
}
