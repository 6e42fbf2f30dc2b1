package io.reactivetransfer.examples.kvcache;

/**
 * What decode measured, after it had compared everything.
 *
 * @param bytes that arrived, the tail included
 * @param arrivals that were counted
 * @param untilFirstNanos from the request to the first arrival
 * @param firstToLastNanos from the first arrival to the last
 * @param verifiedPages pages whose checksum was compared
 * @param untouchedPages spare pages that still had their old content
 * @param outBytes bytes written to the file, or -1
 */
record DecodeReport(
    long bytes,
    long arrivals,
    long untilFirstNanos,
    long firstToLastNanos,
    long verifiedPages,
    long untouchedPages,
    long outBytes) {

  String toLine() {
    return Figures.join(
        bytes,
        arrivals,
        untilFirstNanos,
        firstToLastNanos,
        verifiedPages,
        untouchedPages,
        outBytes);
  }

  static DecodeReport of(String line) {
    long[] figures = Figures.split(line, 7);
    return new DecodeReport(
        figures[0], figures[1], figures[2], figures[3], figures[4], figures[5], figures[6]);
  }
}
