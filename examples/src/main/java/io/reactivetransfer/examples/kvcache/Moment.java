package io.reactivetransfer.examples.kvcache;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.List;

/**
 * Something that has happened.
 *
 * @param what happened
 * @param layer to which layer, or -1
 * @param micros when, by the clock that all processes of this machine have
 */
record Moment(What what, int layer, long micros) {

  /** What can happen. */
  enum What {
    /** Decode asks. */
    ORDERED,
    /** Prefill knows. */
    REQUESTED,
    /** Prefill begins to compute the layer. */
    COMPUTING,
    /** It has computed it, and has it written. */
    COMPUTED,
    /** Prefill knows that the layer has come. */
    WRITTEN,
    /** Decode knows that the layer has come. */
    COUNTED,
    TAIL_WRITTEN,
    /** Decode has all, and reads it. */
    ARRIVED,
    /** Decode has read it, and its pages are free. */
    RELEASED
  }

  /** Now. */
  static Moment of(What what, int layer) {
    return new Moment(what, layer, ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now()));
  }

  /** In one line, to another process. */
  String toLine() {
    return what + " " + layer + " " + micros;
  }

  static Moment of(String line) {
    List<String> parts = Arrays.stream(line.split(" ")).toList();
    return new Moment(
        What.valueOf(parts.get(0)), Integer.parseInt(parts.get(1)), Long.parseLong(parts.get(2)));
  }
}
