package io.reactivetransfer.engine.base;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The same as {@link HashMap}, whatever is done to it. */
class IntMapTest {

  private static final int SEED = 0x2f9c41d7;

  private static void compare(int keys, int steps, IntUnaryOperator spread) {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    IntMap<Integer> map = new IntMap<>(SEED);
    Map<Integer, Integer> model = new HashMap<>();
    for (int step = 0; step < steps; step++) {
      int key = spread.applyAsInt(random.nextInt(keys)) & Integer.MAX_VALUE;
      // now it grows, now it shrinks
      boolean growing = step / (steps / 10 + 1) % 2 == 0;
      if (random.nextInt(10) < (growing ? 7 : 3)) {
        map.put(key, step);
        model.put(key, step);
      } else {
        map.remove(key);
        model.remove(key);
      }
      if (map.size() != model.size() || !same(map.get(key), model.get(key))) {
        throw new AssertionError("seed " + seed + ", step " + step);
      }
      if (step % 1_000 == 0) {
        compareAll(map, model, "seed " + seed + ", step " + step);
      }
    }
    compareAll(map, model, "seed " + seed);
  }

  private static boolean same(Integer a, Integer b) {
    return a == null ? b == null : a.equals(b);
  }

  private static void compareAll(IntMap<Integer> map, Map<Integer, Integer> model, String what) {
    model.forEach((key, value) -> {
      if (!same(map.get(key), value)) {
        throw new AssertionError(what + ", key " + key);
      }
    });
    List<Integer> values = new ArrayList<>();
    map.forEach(values::add);
    assertThat(values.stream().sorted().toList())
        .as(what)
        .isEqualTo(model.values().stream().sorted().toList());
  }

  @Test
  void withKeysSideBySide() {
    compare(200, 30_000, key -> key);
  }

  @Test
  void withKeysThatCollide() {
    compare(100, 30_000, key -> key << 16);
    compare(100, 30_000, key -> key << 24);
  }

  /** Who knows the code, but not the seed, cannot have all keys begin at the same place. */
  @Test
  void keysThatWereChosenToCollideDoNot() {
    // Without the seed, these begin at one of the first 32 of 2^18 places.
    int[] chosen =
        IntStream.range(0, 1 << 19)
            .map(i -> i >>> 5 << 18 | i & 31)
            .map(place -> (place ^ place >>> 16) * 0x144CBC89)
            .filter(key -> key >= 0)
            .limit(1 << 14)
            .toArray();
    assertThat(chosen).hasSize(1 << 14);
    assertThat(IntStream.of(chosen)).allMatch(key -> withoutSeed(key) < 32);
    int[] others = IntStream.range(0, 1 << 14).toArray();
    long usual = Math.max(1_000_000, cost(others));
    long cost = cost(chosen);
    for (int round = 0; round < 3 && cost >= 10 * usual; round++) {
      cost = Math.min(cost, cost(chosen));
    }
    assertThat(cost).as("ns; %s ns with keys side by side", usual).isLessThan(10 * usual);
  }

  private static int withoutSeed(int key) {
    int mixed = key * 0x9E3779B9;
    return (mixed ^ mixed >>> 16) & (1 << 18) - 1;
  }

  private static long cost(int[] keys) {
    var threads = ManagementFactory.getThreadMXBean();
    long before = threads.getCurrentThreadCpuTime();
    IntMap<Integer> map = new IntMap<>(SEED);
    for (int key : keys) {
      map.put(key, key);
    }
    return threads.getCurrentThreadCpuTime() - before;
  }

  @Test
  void withKeysAllOver() {
    compare(5_000, 50_000, key -> key * 0x9E3779B1);
  }

  @Test
  void withTheSmallestAndTheLargestKey() {
    IntMap<String> map = new IntMap<>(SEED);
    assertThat(map.get(0)).isNull();
    map.put(0, "zero");
    map.put(Integer.MAX_VALUE, "max");
    map.put(0, "nought");
    assertThat(map.get(0)).isEqualTo("nought");
    assertThat(map.get(Integer.MAX_VALUE)).isEqualTo("max");
    assertThat(map.size()).isEqualTo(2);
    map.remove(1);
    map.remove(0);
    map.remove(0);
    assertThat(map.get(0)).isNull();
    assertThat(map.size()).isEqualTo(1);
  }
}
