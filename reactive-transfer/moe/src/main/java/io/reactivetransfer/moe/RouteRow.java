package io.reactivetransfer.moe;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.Arrays;
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

  private final int[] counts;
  private int tokens;
  private long digest;

  /** Room for the row of one rank. */
  RouteRow(MoeShape shape) {
    counts = new int[shape.placement().instances()];
  }

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

  int tokens() {
    return tokens;
  }

  int count(int instance) {
    return counts[instance];
  }

  /** Whether two rows say the same; what lies behind the counts says nothing. */
  boolean isSameAs(RouteRow other) {
    return tokens == other.tokens && digest == other.digest && Arrays.equals(counts, other.counts);
  }

  /**
   * Reads a row of this step, each number once: its writer may write on, and what was checked is
   * what is believed.
   *
   * @return what is wrong with it, or null
   */
  @Nullable String read(MemorySegment row, MoeShape shape, long step) {
    int version = row.get(I32, VERSION_AT);
    if (version != VERSION) {
      return expected("a row of version " + VERSION, version);
    }
    long itsStep = row.get(I64, STEP);
    if (itsStep != step) {
      return expected("the row of step " + step, itsStep);
    }
    int instances = row.get(I32, INSTANCES);
    if (instances != counts.length) {
      return expected("counts of " + counts.length + " instances", instances);
    }
    tokens = row.get(I32, TOKENS);
    if (tokens < 0 || tokens > shape.maxTokens()) {
      return expected("0 to " + shape.maxTokens() + " tokens", tokens);
    }
    digest = row.get(I64, DIGEST);
    MemorySegment.copy(row, I32, COUNTS, counts, 0, counts.length);
    long pairs = 0;
    for (int instance = 0; instance < counts.length; instance++) {
      int count = counts[instance];
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

  /** What {@link #write} would say. */
  void take(OwnRouting routing) {
    tokens = routing.tokens();
    digest = routing.digest();
    System.arraycopy(routing.counts(), 0, counts, 0, counts.length);
  }

  private static String expected(String what, long got) {
    return "expected " + what + ", got " + got;
  }
}
