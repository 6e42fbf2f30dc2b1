package io.reactivetransfer.moe;

import java.lang.foreign.MemorySegment;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** Sums the results of each token, by vectors as soon as these are faster. */
final class WeightedSums {

  private static final Class<?> NATIVE = MemorySegment.NULL.getClass();

  private final MoeShape shape;
  private final BooleanSupplier areVectorsFast;
  private final ArraySums plain;

  /** Made when it is used at first: a JVM without vectors cannot load its class. */
  private @Nullable TokenSums byVectors;

  WeightedSums(MoeShape shape) {
    this(shape, Vectors.warmUp() ? Vectors::areFast : () -> false);
  }

  /**
   * Of a test.
   *
   * @param areVectorsFast asked before each call of {@link #sum}
   */
  WeightedSums(MoeShape shape, BooleanSupplier areVectorsFast) {
    this.shape = shape;
    this.areVectorsFast = areVectorsFast;
    plain = new ArraySums(shape.resultType(), shape.sumType(), shape.topK(), shape.hidden());
  }

  /**
   * Sums up some tokens, the sum of the first of which begins its memory.
   *
   * @param results the memory of the rank
   */
  void sum(
      MemorySegment results,
      ResultPlaces places,
      float[] weights,
      int first,
      int tokens,
      MemorySegment sums,
      long stride) {
    TokenSums of =
        areVectorsFast.getAsBoolean() && areSuited(results) && areSuited(sums) ? vectors() : plain;
    int topK = shape.topK();
    for (int i = 0; i < tokens; i++) {
      for (int k = 0; k < topK; k++) {
        int pair = (first + i) * topK + k;
        of.result(k, places.at(pair), weights[pair]);
      }
      of.sum(results, shape.hidden(), sums, i * stride);
    }
  }

  /**
   * Whether it is of the class that vectors were compiled for. A loop that has had segments of
   * several classes, such as those of files, is compiled without vectors, for ever.
   */
  private static boolean areSuited(MemorySegment memory) {
    return memory.getClass() == NATIVE;
  }

  private TokenSums vectors() {
    TokenSums made = byVectors;
    if (made == null) {
      boolean canSum = VectorSums.canSum(shape.resultType(), shape.sumType());
      made = canSum ? VectorSums.of(shape.resultType(), shape.sumType(), shape.topK()) : plain;
      byVectors = made;
    }
    return made;
  }
}
