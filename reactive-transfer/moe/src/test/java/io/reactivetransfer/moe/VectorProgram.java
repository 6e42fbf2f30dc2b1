package io.reactivetransfer.moe;

import com.sun.management.ThreadMXBean;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Waits until sums are taken by vectors, if they ever are; then takes some of each kind until they
 * allocate nothing, if they ever do.
 */
final class VectorProgram {

  private static final int TOP_K = 8;
  private static final int NUMBERS = 7_168;

  /** So many are looked at together. */
  private static final int SUMS = 200;

  /** The bytes for them: of a vector that is an object there is one for a few numbers already. */
  private static final long FEW = 10_000;

  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(60);

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
    try (Arena arena = Arena.ofShared()) {
      MemorySegment results = arena.allocate((long) TOP_K * NUMBERS * Float.BYTES, 64);
      MemorySegment sums = arena.allocate((long) NUMBERS * Float.BYTES, 64);
      for (FloatType from : new FloatType[] {FloatType.BF16, FloatType.FP32}) {
        for (FloatType to : new FloatType[] {FloatType.BF16, FloatType.FP32}) {
          if (VectorSums.canSum(from, to)) {
            long bytes = allocated(VectorSums.of(from, to, TOP_K), results, sums);
            System.out.println(
                from + " to " + to + ": " + (bytes < FEW ? "nothing" : bytes + " bytes"));
          }
        }
      }
    }
  }

  /** The fewest bytes that so many sums have allocated, as soon as they are few. */
  private static long allocated(TokenSums of, MemorySegment results, MemorySegment sums) {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    for (int k = 0; k < TOP_K; k++) {
      of.result(k, (long) k * NUMBERS * of.from.bytes(), 1);
    }
    long least = Long.MAX_VALUE;
    long begun = System.nanoTime();
    do {
      long before = threads.getCurrentThreadAllocatedBytes();
      for (int i = 0; i < SUMS; i++) {
        of.sum(results, NUMBERS, sums, 0);
      }
      least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
    } while (least >= FEW && System.nanoTime() - begun < PATIENCE_NANOS);
    return least;
  }
}
