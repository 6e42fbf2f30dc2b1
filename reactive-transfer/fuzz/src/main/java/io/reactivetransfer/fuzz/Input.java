package io.reactivetransfer.fuzz;

import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Supplier;

/**
 * All that decides one case: numbers drawn from its seed. Also takes down what the case does, but
 * only when it is run again because it failed.
 */
public final class Input {

  private static final long[] EDGES = {
    0,
    1,
    -1,
    2,
    7,
    8,
    63,
    64,
    127,
    128,
    255,
    256,
    511,
    512,
    513,
    1_023,
    1_024,
    1_025,
    0x7fff,
    0x8000,
    0xffff,
    0x1_0000,
    0x0fff_ffff,
    0x1000_0000,
    0x1000_0001,
    Integer.MAX_VALUE,
    0x8000_0000L,
    0xffff_ffffL,
    0x1_0000_0000L,
    Long.MAX_VALUE,
    Long.MAX_VALUE - 1,
    Long.MIN_VALUE,
    Long.MIN_VALUE + 1
  };

  private final SplittableRandom random;
  private final StringBuilder notes = new StringBuilder();
  private final boolean noting;

  private Input(SplittableRandom random, boolean noting) {
    this.random = random;
    this.noting = noting;
  }

  /** The input of one case. */
  static Input of(long seed, Target target, long index, boolean noting) {
    long mixed = mix(mix(seed) ^ mix(target.name().hashCode())) + index;
    return new Input(new SplittableRandom(mix(mixed)), noting);
  }

  /** As SplitMix64 does: so that seeds that are close to each other give nothing alike. */
  private static long mix(long value) {
    long mixed = (value ^ value >>> 30) * 0xbf58476d1ce4e5b9L;
    mixed = (mixed ^ mixed >>> 27) * 0x94d049bb133111ebL;
    return mixed ^ mixed >>> 31;
  }

  /** 0 to {@code bound - 1}. */
  public int below(int bound) {
    return random.nextInt(bound);
  }

  /** Both ends included. */
  public int between(int min, int max) {
    return random.nextInt(min, max + 1);
  }

  /** True so many times of a hundred. */
  public boolean chance(int percent) {
    return random.nextInt(100) < percent;
  }

  /** Any number. */
  public long anyLong() {
    return random.nextLong();
  }

  /** Any number. */
  public int anyInt() {
    return random.nextInt();
  }

  /** A number where mistakes are likely: around zero, powers of two, and the ends of the types. */
  public long edge() {
    return EDGES[random.nextInt(EDGES.length)] + (chance(10) ? random.nextInt(-1, 2) : 0);
  }

  /** Any bytes. */
  public byte[] bytes(int length) {
    byte[] bytes = new byte[length];
    random.nextBytes(bytes);
    return bytes;
  }

  /** One of them. */
  public <T> T oneOf(List<T> values) {
    return values.get(random.nextInt(values.size()));
  }

  /** Takes down what happens next. Costs nothing unless the case has failed before. */
  public void note(Supplier<String> text) {
    if (noting) {
      notes.append("  ").append(text.get()).append('\n');
    }
  }

  /** What was taken down. */
  String notes() {
    return notes.toString();
  }
}
