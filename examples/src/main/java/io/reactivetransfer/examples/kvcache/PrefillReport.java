package io.reactivetransfer.examples.kvcache;

/**
 * What prefill measured.
 *
 * @param bytes written, the tail included
 * @param nanos from the first submit to the last completion
 * @param writes of layers
 * @param p50Nanos half of the layer writes took no longer from submit to completion
 * @param p99Nanos 99 of 100 took no longer
 */
record PrefillReport(long bytes, long nanos, long writes, long p50Nanos, long p99Nanos) {

  String toLine() {
    return Figures.join(bytes, nanos, writes, p50Nanos, p99Nanos);
  }

  static PrefillReport of(String line) {
    long[] figures = Figures.split(line, 5);
    return new PrefillReport(figures[0], figures[1], figures[2], figures[3], figures[4]);
  }
}
