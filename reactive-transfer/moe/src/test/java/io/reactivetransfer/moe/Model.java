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
    for (int index = 0; index < batch.experts(); index++) {
      switch (index % 3) {
        case 0 -> computeRuns(shape, batch, index);
        case 1 -> computeEach(shape, batch, index);
        default -> {
          if (shape.isInPlace()) {
            computeEach(shape, batch, index);
          } else {
            computeRows(shape, batch, index);
          }
        }
      }
    }
  }

  /** Of one expert, as many tokens at a time as lie one behind the other. */
  private static void computeRuns(MoeShape shape, ExpertBatch batch, int index) {
    MemorySegment memory = batch.memory();
    int expert = batch.expert(index);
    batch.runs(
        index,
        (group, count, tokens, results) -> {
          for (int i = 0; i < count; i++) {
            long from = tokens + i * batch.tokenStride();
            compute(shape, expert, memory, from, memory, results + i * batch.resultStride());
          }
        });
  }

  /** The same, one token at a time, of which each is asked for. */
  private static void computeEach(MoeShape shape, ExpertBatch batch, int index) {
    MemorySegment memory = batch.memory();
    int expert = batch.expert(index);
    for (int i = 0; i < batch.count(index); i++) {
      long from = batch.tokenAt(index, i);
      compute(shape, expert, memory, from, memory, batch.resultAt(index, i));
    }
  }

  /** The same, of rows that follow each other. */
  private static void computeRows(MoeShape shape, ExpertBatch batch, int index) {
    int expert = batch.expert(index);
    for (int i = 0; i < batch.count(index); i++) {
      long row = batch.firstRow(index) + i;
      long from = row * batch.tokenStride();
      long to = row * batch.resultStride();
      compute(shape, expert, batch.tokens(), from, batch.results(), to);
    }
  }

  private static void compute(
      MoeShape shape, int expert, MemorySegment tokens, long from, MemorySegment results, long to) {
    long hash = hash(tokens, from, shape.tokenBytes());
    for (int j = 0; j < shape.hidden(); j++) {
      long at = to + (long) j * shape.resultType().bytes();
      shape.resultType().set(results, at, result(hash, expert, j));
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
