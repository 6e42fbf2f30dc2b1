package io.reactivetransfer.examples.jlama;

/**
 * What a prefill node measured of an order that it has served.
 *
 * @param round of the decode node
 * @param known tokens of the prompt that its cache knew
 * @param computeNanos from the beginning of the computation to its end
 * @param behindNanos from there until all was written
 * @param bytes that were written
 */
record Served(int round, int known, long computeNanos, long behindNanos, long bytes) {

  String toLine() {
    return Figures.join(round, known, computeNanos, behindNanos, bytes);
  }

  static Served of(String line) {
    long[] figures = Figures.split(line, 5);
    return new Served((int) figures[0], (int) figures[1], figures[2], figures[3], figures[4]);
  }
}
