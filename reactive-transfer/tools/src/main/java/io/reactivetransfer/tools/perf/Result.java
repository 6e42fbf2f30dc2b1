package io.reactivetransfer.tools.perf;

import java.util.Arrays;
import java.util.List;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * What one size came to: medians over the rounds.
 *
 * @param plan what was measured
 * @param layout of the size
 * @param ours of the engine
 * @param reference of the reference, or null
 * @param ratio ours to the reference, above 1 is faster, 0 without one: of each round and the one
 *     of the reference behind it, so that a machine that is slower for a while does not count
 * @param iperf3BytesPerSecond what iperf3 says, or null
 */
record Result(
    Plan plan,
    Layout layout,
    Medians ours,
    @Nullable Medians reference,
    double ratio,
    @Nullable Double iperf3BytesPerSecond) {

  /**
   * Medians of each figure.
   *
   * @param operationsPerSecond operations that were done
   * @param p50Micros latency of an operation
   * @param p99Micros latency of an operation
   * @param p999Micros latency of an operation
   * @param cpuSecondsPerOperation on both sides
   * @param allocatedPerOperation bytes on both sides
   */
  record Medians(
      double operationsPerSecond,
      double p50Micros,
      double p99Micros,
      double p999Micros,
      double cpuSecondsPerOperation,
      double allocatedPerOperation) {

    /** Some references tell none. */
    boolean hasLatency() {
      return p50Micros > 0;
    }

    static Medians of(List<RunFigures> rounds) {
      return new Medians(
          median(rounds, RunFigures::operationsPerSecond),
          median(rounds, round -> round.p50Nanos() / 1e3),
          median(rounds, round -> round.p99Nanos() / 1e3),
          median(rounds, round -> round.p999Nanos() / 1e3),
          median(rounds, round -> round.usage().cpuNanos() / 1e9 / round.operations()),
          median(rounds, round -> (double) round.usage().allocatedBytes() / round.operations()));
    }
  }

  static Result of(
      Plan plan,
      Layout layout,
      List<RunFigures> ours,
      List<RunFigures> references,
      List<Double> iperf3s) {
    return new Result(
        plan,
        layout,
        Medians.of(ours),
        references.isEmpty() ? null : Medians.of(references),
        references.isEmpty() ? 0 : ratio(ours, references),
        iperf3s.isEmpty() ? null : median(iperf3s, Double::doubleValue));
  }

  double bytesPerSecond() {
    return ours.operationsPerSecond() * layout.operationBytes();
  }

  double cpuSecondsPerGB() {
    return ours.cpuSecondsPerOperation() / layout.operationBytes() * 1e9;
  }

  /** Bytes per second of the reference. */
  double referenceBytesPerSecond() {
    return reference == null ? 0 : reference.operationsPerSecond() * layout.operationBytes();
  }

  private static double ratio(List<RunFigures> ours, List<RunFigures> references) {
    List<Integer> rounds = IntStream.range(0, ours.size()).boxed().toList();
    return median(
        rounds,
        round ->
            ours.get(round).operationsPerSecond() / references.get(round).operationsPerSecond());
  }

  private static <T> double median(List<T> rounds, ToDoubleFunction<T> figure) {
    double[] sorted = rounds.stream().mapToDouble(figure).sorted().toArray();
    int middle = sorted.length / 2;
    return sorted.length % 2 == 1
        ? sorted[middle]
        : Arrays.stream(sorted, middle - 1, middle + 1).average().orElseThrow();
  }
}
