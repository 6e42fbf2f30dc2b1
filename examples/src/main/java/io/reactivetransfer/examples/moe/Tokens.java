package io.reactivetransfer.examples.moe;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.SplittableRandom;

/** Tokens that are made up: numbers in FP8 (E4M3), and behind them their scales in FP32. */
final class Tokens {

  /** One in whose bytes the lowest bits are 0, so none is a NaN. */
  private static final long FINITE = 0xfefe_fefe_fefe_fefeL;

  private Tokens() {}

  /** Writes those of a rank in a step, without gaps. */
  static void write(Plan plan, int step, int rank, int count, MemorySegment to) {
    SplittableRandom random = new SplittableRandom(Routing.random(plan, step, rank).nextLong());
    int hidden = plan.hidden();
    for (int token = 0; token < count; token++) {
      long at = (long) token * plan.tokenBytes();
      int i = 0;
      for (; i + Long.BYTES <= hidden; i += Long.BYTES) {
        to.set(ValueLayout.JAVA_LONG_UNALIGNED, at + i, random.nextLong() & FINITE);
      }
      for (; i < hidden; i++) {
        to.set(ValueLayout.JAVA_BYTE, at + i, (byte) (random.nextLong() & FINITE));
      }
      for (int scale = 0; scale < plan.scales(); scale++) {
        to.set(
            ValueLayout.JAVA_FLOAT_UNALIGNED,
            at + hidden + (long) Float.BYTES * scale,
            0.5f + (float) random.nextDouble());
      }
    }
  }
}
