package io.reactivetransfer.examples.moe;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/**
 * What a micro-batch did from when to when, by the clock that all processes of this machine have.
 *
 * @param what it did
 * @param lane of the micro-batch
 * @param from nanoseconds
 * @param to nanoseconds
 */
record Span(What what, int lane, long from, long to) {

  /** What a micro-batch does. */
  enum What {
    /** Work before its tokens are sent. */
    WORK("works before it sends"),
    DISPATCH_SEND("dispatchSend"),
    DISPATCH_RECEIVE("dispatchReceive"),
    /** The work of its experts. */
    EXPERTS("its experts work"),
    COMBINE_SEND("combineSend"),
    COMBINE_RECEIVE("combineReceive");

    private final String text;

    What(String text) {
      this.text = text;
    }

    /** For people. */
    @Override
    public String toString() {
      return text;
    }
  }

  /** Many of them on one line. */
  static String toLine(List<Span> spans) {
    return spans.stream()
        .map(span -> span.what.name() + ":" + span.lane + ":" + span.from + ":" + span.to)
        .collect(Collectors.joining(","));
  }

  static List<Span> of(String line) {
    return line.isEmpty() ? List.of() : Arrays.stream(line.split(",")).map(Span::ofOne).toList();
  }

  private static Span ofOne(String text) {
    String[] parts = text.split(":", -1);
    return new Span(
        What.valueOf(parts[0]),
        Integer.parseInt(parts[1]),
        Long.parseLong(parts[2]),
        Long.parseLong(parts[3]));
  }
}
