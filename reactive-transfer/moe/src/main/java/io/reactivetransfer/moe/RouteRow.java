package io.reactivetransfer.moe;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/**
 * What a rank tells all others of a step, as it lies in memory: little-endian, so that one write
 * carries it. What is read was written by somebody else, and may be anything.
 */
final class RouteRow {

  static final int VERSION = 1;

  private static final ValueLayout.OfLong I64 =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfInt I32 =
      ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  private static final int STEP = 0;
  private static final int TOKENS = 8;
  private static final int INSTANCES = 12;
  private static final int DIGEST = 16;
  private static final int VERSION_AT = 24;
  private static final int COUNTS = 32;
  private static final int STRIDE = 64;

  private RouteRow() {}

  static long bytes(MoeShape shape) {
    return Checks.up(COUNTS + (long) Integer.BYTES * shape.placement().instances(), STRIDE);
  }

  static void write(MemorySegment row, long step, OwnRouting routing) {
    int[] counts = routing.counts();
    row.set(I64, STEP, step);
    row.set(I32, TOKENS, routing.tokens());
    row.set(I32, INSTANCES, counts.length);
    row.set(I64, DIGEST, routing.digest());
    row.set(I32, VERSION_AT, VERSION);
    MemorySegment.copy(counts, 0, row, I32, COUNTS, counts.length);
  }

  static long step(MemorySegment row) {
    return row.get(I64, STEP);
  }

  static int tokens(MemorySegment row) {
    return row.get(I32, TOKENS);
  }

  static long digest(MemorySegment row) {
    return row.get(I64, DIGEST);
  }

  static int count(MemorySegment row, int instance) {
    return row.get(I32, COUNTS + (long) Integer.BYTES * instance);
  }

  /** Whether two rows say the same; what lies behind the counts says nothing. */
  static boolean areSame(MemorySegment one, MemorySegment other, MoeShape shape) {
    long end = COUNTS + (long) Integer.BYTES * shape.placement().instances();
    return tokens(one) == tokens(other)
        && digest(one) == digest(other)
        && MemorySegment.mismatch(one, COUNTS, end, other, COUNTS, end) == -1;
  }

  /** What is wrong with a row of this step, or null. */
  static @Nullable String problem(MemorySegment row, MoeShape shape, long step) {
    if (row.get(I32, VERSION_AT) != VERSION) {
      return expected("a row of version " + VERSION, row.get(I32, VERSION_AT));
    }
    if (step(row) != step) {
      return expected("the row of step " + step, step(row));
    }
    int instances = shape.placement().instances();
    if (row.get(I32, INSTANCES) != instances) {
      return expected("counts of " + instances + " instances", row.get(I32, INSTANCES));
    }
    int tokens = tokens(row);
    if (tokens < 0 || tokens > shape.maxTokens()) {
      return expected("0 to " + shape.maxTokens() + " tokens", tokens);
    }
    long pairs = 0;
    for (int instance = 0; instance < instances; instance++) {
      int count = count(row, instance);
      if (count < 0 || count > tokens) {
        return expected("0 to " + tokens + " tokens for instance " + instance, count);
      }
      pairs += count;
    }
    if (pairs != (long) tokens * shape.topK()) {
      return expected(tokens + " tokens for " + shape.topK() + " experts each", pairs);
    }
    return null;
  }

  private static String expected(String what, long got) {
    return "expected " + what + ", got " + got;
  }
}
