package io.reactivetransfer.tools.perf;

import java.util.Arrays;

/**
 * What one run came to, at one side.
 *
 * @param operations operations that are done
 * @param nanos from the first submit to the last completion
 * @param p50Nanos latency of an operation
 * @param p99Nanos latency of an operation
 * @param p999Nanos latency of an operation
 * @param usage what it took of this process
 * @param checksum of what was sent, or 0 if it is not asked for
 */
record RunFigures(
    long operations,
    long nanos,
    long p50Nanos,
    long p99Nanos,
    long p999Nanos,
    Usage usage,
    long checksum) {

  private static final int FIGURES = 8;

  double operationsPerSecond() {
    return operations * 1e9 / Math.max(1, nanos);
  }

  RunFigures with(Usage both) {
    return new RunFigures(operations, nanos, p50Nanos, p99Nanos, p999Nanos, both, checksum);
  }

  /** In one line, to another process. */
  String toLine() {
    return operations
        + " "
        + nanos
        + " "
        + p50Nanos
        + " "
        + p99Nanos
        + " "
        + p999Nanos
        + " "
        + usage.toLine()
        + " "
        + checksum;
  }

  /** The same from a program that says neither what it used nor what it sent. */
  static RunFigures withoutUsage(String line) {
    return of(line + " " + Usage.NONE.toLine() + " 0");
  }

  static RunFigures of(String line) {
    long[] figures = Arrays.stream(line.split(" ")).mapToLong(Long::parseLong).toArray();
    if (figures.length != FIGURES) {
      throw new IllegalArgumentException("expected " + FIGURES + " figures, got '" + line + "'");
    }
    return new RunFigures(
        figures[0],
        figures[1],
        figures[2],
        figures[3],
        figures[4],
        new Usage(figures[5], figures[6]),
        figures[7]);
  }
}
