package io.reactivetransfer.engine.base;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.Random;
import org.junit.jupiter.api.Test;

class IntQueueTest {

  /** A deque does the same, also when it grows. */
  @Test
  void givesBackInOrder() {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    IntQueue queue = new IntQueue();
    ArrayDeque<Integer> model = new ArrayDeque<>();
    for (int step = 0; step < 100_000; step++) {
      boolean growing = step / 1_000 % 2 == 0;
      if (random.nextInt(10) < (growing ? 7 : 3)) {
        queue.add(step);
        model.add(step);
      } else if (!model.isEmpty()) {
        assertThat(queue.take()).as("seed %d, step %d", seed, step).isEqualTo(model.poll());
      }
      assertThat(queue.size()).isEqualTo(model.size());
      assertThat(queue.isEmpty()).isEqualTo(model.isEmpty());
    }
  }
}
