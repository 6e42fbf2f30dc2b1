package io.reactivetransfer.moe;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Experts that are functions of a token's bytes, and what comes of a step of one group if each
 * token is simply given to its experts.
 */
final class Model {

  private Model() {}

  /** One number of the result of an expert, from all bytes of a token. */
  private static float result(long hash, int expert, int index) {
    long mixed = Checks.mix(Checks.mix(hash, expert), index);
    return (float) (mixed >> 40) / (1 << 20);
  }

  private static long hash(MemorySegment tokens, long at, int bytes) {
    long hash = bytes;
    for (int i = 0; i < bytes; i++) {
      hash = Checks.mix(hash, tokens.get(ValueLayout.JAVA_BYTE, at + i));
    }
    return hash;
  }

  /** What the experts of a rank make of a batch. Whatever lies in other rows must not matter. */
  static void compute(MoeShape shape, ExpertBatch batch) {
    long stride = batch.resultStride();
    for (int index = 0; index < batch.experts(); index++) {
      for (int i = 0; i < batch.count(index); i++) {
        long row = batch.firstRow(index) + i;
        long hash = hash(batch.tokens(), row * batch.tokenStride(), shape.tokenBytes());
        for (int j = 0; j < shape.hidden(); j++) {
          float value = result(hash, batch.expert(index), j);
          long at = row * stride + (long) j * shape.resultType().bytes();
          shape.resultType().set(batch.results(), at, value);
        }
      }
    }
  }

  /** The sums of one group's tokens, computed for each token by itself. */
  static MemorySegment reference(
      MoeShape shape, int tokens, MemorySegment payload, int[] experts, float[] weights) {
    MemorySegment sums =
        MemorySegment.ofArray(new byte[Math.toIntExact(tokens * shape.sumBytes())]);
    MemorySegment number = MemorySegment.ofArray(new byte[4]);
    for (int token = 0; token < tokens; token++) {
      long hash = hash(payload, (long) token * shape.tokenBytes(), shape.tokenBytes());
      for (int j = 0; j < shape.hidden(); j++) {
        float sum = 0;
        for (int k = 0; k < shape.topK(); k++) {
          int pair = token * shape.topK() + k;
          shape.resultType().set(number, 0, result(hash, experts[pair], j));
          sum += weights[pair] * shape.resultType().get(number, 0);
        }
        shape
            .sumType()
            .set(sums, token * shape.sumBytes() + (long) j * shape.sumType().bytes(), sum);
      }
    }
    return sums;
  }

  static void requireSame(String what, MemorySegment sums, MemorySegment expected) {
    assertThat(sums.mismatch(expected)).as(what + ": first byte that differs").isEqualTo(-1);
  }
}
