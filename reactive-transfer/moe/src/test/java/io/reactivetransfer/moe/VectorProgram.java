package io.reactivetransfer.moe;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Waits until sums are taken by vectors, if they ever are. */
final class VectorProgram {

  private VectorProgram() {}

  public static void main(String[] arguments) {
    MoeShape shape =
        MoeShape.builder(ExpertPlacement.even(2, 4), 2, 8, 16, 64)
            .resultType(FloatType.BF16)
            .sumType(FloatType.BF16)
            .build();
    new WeightedSums(shape);
    if (!Vectors.areThere()) {
      System.out.println("not there");
      return;
    }
    while (!Vectors.areFast()) {
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
    }
    System.out.println("fast");
  }
}
