package io.reactivetransfer.examples.report;

import java.util.Arrays;
import java.util.List;

/** Of times, in milliseconds. */
public record Percentiles(double p50Millis, double p99Millis) {

  /** Of one or more, in nanoseconds. */
  public static Percentiles of(List<Long> nanos) {
    return of(nanos.stream().mapToLong(Long::longValue).toArray());
  }

  /** Of one or more, in nanoseconds and in any order; they stay as they are. */
  public static Percentiles of(long[] nanos) {
    long[] sorted = nanos.clone();
    Arrays.sort(sorted);
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
