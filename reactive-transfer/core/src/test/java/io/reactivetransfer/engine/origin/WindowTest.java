package io.reactivetransfer.engine.origin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivetransfer.AimedWrite;
import io.reactivetransfer.Imm;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.RemoteRegion;
import java.lang.reflect.Proxy;
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

  private static AimedWrite write() {
    return AimedWrite.between(empty(MemoryRegion.class), empty(RemoteRegion.class), Imm.of(1));
  }

  /** A region of no bytes. */
  private static <R> R empty(Class<R> type) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> 0L));
  }

  /** What is done with what stands there does not hear of what its owner does meanwhile. */
  @Test
  void whenItIsClosedItHasCopiesOfWritesThatCanBeChanged() {
    Window window = new Window(2);
    AimedWrite before = write();
    AimedWrite behind = write();
    assertThat(window.give(before)).isTrue();
    assertThat(window.close()).isTrue();
    assertThat(window.give(behind)).isTrue();
    assertThat(window.at(window.next())).isSameAs(before);
    window.take();
    RemoteRegion target = behind.target();
    behind.redirect(empty(RemoteRegion.class), Imm.of(2));
    assertThat(window.at(window.next()))
        .isInstanceOfSatisfying(
            AimedWrite.class,
            copy -> {
              assertThat(copy.target()).isSameAs(target);
              assertThat(copy.imm()).isEqualTo(Imm.of(1));
            });
  }

  @Test
  void whatIsBrokenOffIsItsOwnersAgain() {
    Window window = new Window(2);
    AimedWrite posted = write();
    AimedWrite given = write();
    window.give(posted);
    window.take();
    window.give(given);
    window.breakOff();
    posted.redirect(posted.target(), Imm.of(2));
    given.redirect(given.target(), Imm.of(2));
  }
}
