package io.reactivetransfer.examples.report;

import java.util.Collection;

/** The value in the middle. */
public final class Median {

  private Median() {}

  /** Of one or more values; of an even number of them the mean of the two in the middle. */
  public static double of(Collection<Double> values) {
    double[] sorted = values.stream().mapToDouble(Double::doubleValue).sorted().toArray();
    int middle = sorted.length / 2;
    return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  }
}
