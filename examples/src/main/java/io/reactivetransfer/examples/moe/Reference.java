package io.reactivetransfer.examples.moe;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;

/** What a rank must get in a step, computed without anybody else and without the library. */
final class Reference {

  private Reference() {}

  static Sums sums(Plan plan, int step, int rank, int ranks) {
    Routing routing = Routing.of(plan, step, rank, ranks);
    long tokenBytes = plan.tokenBytes();
    long sumBytes = 2L * plan.hidden();
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment tokens = arena.allocate(Math.max(1, routing.tokens() * tokenBytes));
      MemorySegment sums = arena.allocate(Math.max(1, routing.tokens() * sumBytes));
      Tokens.write(plan, step, rank, routing.tokens(), tokens);
      float[] sum = new float[plan.hidden()];
      for (int token = 0; token < routing.tokens(); token++) {
        Arrays.fill(sum, 0);
        for (int pair = token * plan.topK(); pair < (token + 1) * plan.topK(); pair++) {
          int expert = routing.experts()[pair];
          for (int i = 0; i < sum.length; i++) {
            short result = Experts.result(plan, expert, tokens, token * tokenBytes, i);
            sum[i] += routing.weights()[pair] * Experts.ofBf16(result);
          }
        }
        for (int i = 0; i < sum.length; i++) {
          sums.set(
              ValueLayout.JAVA_SHORT_UNALIGNED, token * sumBytes + 2L * i, Experts.toBf16(sum[i]));
        }
      }
      return Sums.of(plan, routing.tokens(), sums);
    }
  }
}
