package io.reactivetransfer.examples.jlama;

import java.util.Arrays;
import java.util.List;
import java.util.stream.LongStream;

/**
 * What a decode node has of a round.
 *
 * @param round its number
 * @param known tokens of the prompt that its cache knew
 * @param firstTokenNanos from the order to the first token
 * @param tokens that were generated; none if the order was cancelled
 */
record Done(int round, int known, long firstTokenNanos, List<Integer> tokens) {

  private static final int FIGURES = 3;

  String toLine() {
    LongStream measured = LongStream.of(round, known, firstTokenNanos);
    LongStream all = LongStream.concat(measured, tokens.stream().mapToLong(Integer::longValue));
    return Figures.join(all.toArray());
  }

  static Done of(String line) {
    long[] figures = Figures.split(line);
    List<Integer> tokens =
        Arrays.stream(figures).skip(FIGURES).mapToObj(token -> (int) token).toList();
    return new Done((int) figures[0], (int) figures[1], figures[2], tokens);
  }
}
