package io.reactivetransfer.examples.weights;

import java.util.List;

/** Of times in nanoseconds. */
record Percentiles(double p50Millis, double p99Millis) {

  /** Of one or more. */
  static Percentiles of(List<Long> nanos) {
    long[] sorted = nanos.stream().mapToLong(Long::longValue).sorted().toArray();
    return new Percentiles(at(sorted, 0.5), at(sorted, 0.99));
  }

  private static double at(long[] sorted, double part) {
    return sorted[(int) Math.min(sorted.length - 1, Math.floor(sorted.length * part))] / 1e6;
  }

  @Override
  public String toString() {
    return "p50 %.3f ms, p99 %.3f ms".formatted(p50Millis, p99Millis);
  }
}
