package io.reactivetransfer.engine.origin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WindowTest {

  private record Taken(int place, int element) {}

  /** Three lists do the same, in whatever order the elements end. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 5, 16})
  void eachElementIsTakenInOrderAndEmittedAsItEnds(int capacity) {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    Window window = new Window(capacity);
    Queue<Integer> given = new ArrayDeque<>();
    List<Taken> taken = new ArrayList<>();
    Queue<Integer> ended = new ArrayDeque<>();
    int next = 0;
    for (int step = 0; step < 20_000; step++) {
      String which = "seed " + seed + ", step " + step;
      switch (random.nextInt(4)) {
        case 0 -> {
          if (given.size() + taken.size() + ended.size() < capacity) {
            window.give(next);
            given.add(next++);
          }
        }
        case 1 -> {
          assertThat(window.given()).as(which).isEqualTo(given.size());
          int place = window.next();
          if (given.isEmpty()) {
            assertThat(place).as(which).isEqualTo(Window.NONE);
          } else {
            window.take();
            taken.add(new Taken(place, given.remove()));
          }
        }
        case 2 -> {
          if (!taken.isEmpty()) {
            Taken one = taken.remove(random.nextInt(taken.size()));
            if (random.nextInt(10) == 0) {
              window.replace(one.place(), -one.element());
              ended.add(-one.element());
            } else {
              ended.add(one.element());
            }
            window.end(one.place());
          }
        }
        default -> assertThat(window.emit()).as(which).isEqualTo(ended.poll());
      }
      for (Taken each : taken) {
        assertThat(window.at(each.place())).as(which).isEqualTo(each.element());
      }
    }
  }

  @Test
  void keepsNothingOfWhatWasEmittedOrForgotten() {
    Window window = new Window(2);
    for (int i = 0; i < 2; i++) {
      window.give(i);
      window.take();
    }
    window.end(1);
    window.forget(0);
    assertThat(window.emit()).isEqualTo(1);
    for (int place = 0; place < 2; place++) {
      int empty = place;
      assertThatThrownBy(() -> window.at(empty)).isInstanceOf(NullPointerException.class);
    }
  }
}
