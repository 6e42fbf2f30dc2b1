package io.reactivetransfer.moe;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The bits of sums, next to those of one loop over single numbers. */
class WeightedSumsTest {

  private static final int EXPERTS = 4;
  private static final int TOP_K = 3;
  private static final int TOKENS = 5;

  private final Random random = new Random(5);

  private static MoeShape shape(FloatType from, FloatType to, int hidden) {
    return MoeShape.builder(ExpertPlacement.even(1, EXPERTS), TOP_K, TOKENS, 16, hidden)
        .resultType(from)
        .sumType(to)
        .build();
  }

  /** Any bits, so also what is no number, or infinite, or tiny. */
  @ParameterizedTest
  @CsvSource({
    "BF16,BF16,1", "BF16,BF16,2", "BF16,BF16,1023", "BF16,BF16,1024", "BF16,BF16,1025",
    "BF16,BF16,3000", "BF16,FP32,1025", "BF16,FP16,2050", "FP16,BF16,1027", "FP16,FP16,1024",
    "FP16,FP32,7", "FP32,BF16,1026", "FP32,FP16,9", "FP32,FP32,2049"
  })
  void areTheSameBits(FloatType from, FloatType to, int hidden) {
    MoeShape shape = shape(from, to, hidden);
    OwnRouting routing = new OwnRouting(shape, 0);
    int[] experts = new int[TOKENS * TOP_K];
    for (int i = 0; i < experts.length; i++) {
      experts[i] = (i / TOP_K + i) % EXPERTS;
    }
    routing.route(TOKENS, experts);
    float[] weights = new float[experts.length];
    for (int i = 0; i < weights.length; i++) {
      weights[i] = random.nextFloat() * 4 - 2;
    }
    MemorySegment results = Arena.ofAuto().allocate(weights.length * shape.resultStride(), 16);
    byte[] bits = new byte[Math.toIntExact(results.byteSize())];
    random.nextBytes(bits);
    results.copyFrom(MemorySegment.ofArray(bits));
    long stride = shape.sumBytes() + 6;
    MemorySegment sums = Arena.ofAuto().allocate(TOKENS * stride, 2);
    new WeightedSums(shape).sum(routing, weights, results, 0, routing.tokens(), sums, stride);
    MemorySegment one = Arena.ofAuto().allocate(4);
    for (int token = 0; token < TOKENS; token++) {
      for (int i = 0; i < hidden; i++) {
        float sum = 0;
        for (int pair = token * TOP_K; pair < (token + 1) * TOP_K; pair++) {
          long at = routing.place(pair) * shape.resultStride() + (long) i * from.bytes();
          sum += weights[pair] * from.get(results, at);
        }
        to.set(one, 0, sum);
        float got = to.get(sums, token * stride + (long) i * to.bytes());
        if (Float.isNaN(to.get(one, 0))) {
          assertThat(got).as("number %s of token %s", i, token).isNaN();
        } else {
          assertThat(Float.floatToRawIntBits(got))
              .as("number %s of token %s", i, token)
              .isEqualTo(Float.floatToRawIntBits(to.get(one, 0)));
        }
      }
    }
  }

  /** Halfway cases, and the largest. */
  @Test
  void pairsAreRoundedAsSingleNumbersAre() {
    MoeShape shape = shape(FloatType.BF16, FloatType.BF16, 2);
    OwnRouting routing = new OwnRouting(shape, 0);
    routing.route(1, new int[] {0, 1, 2});
    MemorySegment results = Arena.ofAuto().allocate(TOP_K * shape.resultStride(), 16);
    MemorySegment sums = Arena.ofAuto().allocate(4);
    MemorySegment one = Arena.ofAuto().allocate(2);
    WeightedSums weighted = new WeightedSums(shape);
    for (int i = 0; i < 100_000; i++) {
      float weight = Float.intBitsToFloat(random.nextInt());
      if (!Float.isFinite(weight)) {
        continue;
      }
      for (int pair = 0; pair < TOP_K; pair++) {
        FloatType.BF16.set(results, pair * shape.resultStride(), pair == 0 ? 1 : 0);
        FloatType.BF16.set(results, pair * shape.resultStride() + 2, pair == 1 ? -1 : 0);
      }
      weighted.sum(routing, new float[] {weight, weight, 0}, results, 0, routing.tokens(), sums, 4);
      FloatType.BF16.set(one, 0, weight);
      assertThat(FloatType.BF16.get(sums, 0)).isEqualTo(FloatType.BF16.get(one, 0));
      FloatType.BF16.set(one, 0, -weight);
      assertThat(FloatType.BF16.get(sums, 2)).isEqualTo(FloatType.BF16.get(one, 0));
    }
  }
}
