package io.reactivetransfer.engine.base;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TimersTest {

  private final Timers timers = new Timers(() -> 0, new Owner());
  private final List<String> done = new ArrayList<>();

  private Timers.Timer at(long time, String name) {
    return timers.at(time, () -> done.add(name));
  }

  /** The clock may begin anywhere, and wraps around. */
  @ParameterizedTest
  @ValueSource(longs = {0, 1_000, -500, Long.MAX_VALUE - 5, Long.MIN_VALUE, Long.MAX_VALUE})
  void doesWhatIsDueInItsOrder(long start) {
    at(start + 10, "ten");
    at(start + 5, "five");
    at(start + 10, "ten again");
    at(start, "now");
    assertThat(timers.untilNext(start)).isZero();
    assertThat(timers.run(start)).isEqualTo(1);
    assertThat(done).containsExactly("now");
    assertThat(timers.untilNext(start)).isEqualTo(5);
    assertThat(timers.run(start + 4)).isZero();
    assertThat(timers.run(start + 9)).isEqualTo(1);
    assertThat(timers.untilNext(start + 9)).isEqualTo(1);
    assertThat(timers.untilNext(start + 50)).isZero();
    assertThat(timers.run(start + 50)).isEqualTo(2);
    assertThat(done).containsExactly("now", "five", "ten", "ten again");
    assertThat(timers.isEmpty()).isTrue();
    assertThat(timers.untilNext(start)).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void whatIsCancelledIsNotDone() {
    Timers.Timer first = at(1, "first");
    Timers.Timer second = at(1, "second");
    at(1, "third");
    timers.cancel(second);
    timers.cancel(second);
    timers.run(5);
    timers.cancel(first);
    assertThat(done).containsExactly("first", "third");
  }

  @Test
  void whatIsDoneMaySetAndCancelOthers() {
    Timers.Timer later = at(20, "later");
    timers.at(
        10,
        () -> {
          done.add("ten");
          timers.cancel(later);
          at(10, "at once");
          at(30, "much later");
        });
    assertThat(timers.run(25)).isEqualTo(2);
    assertThat(done).containsExactly("ten", "at once");
    timers.run(30);
    assertThat(done).containsExactly("ten", "at once", "much later");
  }

  @Test
  void asASortedMapDoes() {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    long start = Long.MAX_VALUE - 2_000;
    TreeMap<Long, List<String>> model = new TreeMap<>();
    List<String> expected = new ArrayList<>();
    long passed = 0;
    for (int step = 0; step < 5_000; step++) {
      if (random.nextBoolean()) {
        long due = passed + random.nextInt(100);
        at(start + due, "" + step);
        model.computeIfAbsent(due, d -> new ArrayList<>()).add("" + step);
      } else {
        passed += random.nextInt(50);
        timers.run(start + passed);
        while (!model.isEmpty() && model.firstKey() <= passed) {
          expected.addAll(model.pollFirstEntry().getValue());
        }
        assertThat(done).as("seed %d", seed).hasSameSizeAs(expected);
        assertThat(timers.isEmpty()).isEqualTo(model.isEmpty());
      }
    }
    assertThat(done).as("seed %d", seed).isEqualTo(expected);
  }

  /** Times are compared by their difference: what is never due must not come before what is. */
  @Test
  void whatIsDueInHalfOfAllTimeHoldsBackNothing() {
    Timers timers = new Timers(() -> 0, new Owner());
    int[] done = {0};
    timers.at(995, () -> done[0]++);
    timers.at(1_000 + Long.MAX_VALUE / 2, () -> done[0]--);
    assertThat(timers.run(1_000)).isEqualTo(1);
    assertThat(done[0]).isEqualTo(1);
  }
}
