package io.reactivetransfer.examples.weights;

import io.reactivetransfer.examples.worker.SharedClock;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Something that has happened at a worker.
 *
 * @param what happened
 * @param nanos when, by the clock that all processes of this machine have
 */
record Moment(What what, long nanos) {

  private static final int ON_A_LINE = 500;

  /** What can happen. */
  enum What {
    /** The controller begins with an update. */
    BEGAN,
    /** All ranks are open; the controller tells the trainers to write. */
    TOLD,
    /** A trainer has said that it has written all. */
    WRITTEN,
    /** The controller knows the end. */
    ENDED,
    /** A trainer begins to write. */
    RUNS,
    /** It begins to prepare something. */
    PREPARES,
    /** It has prepared it. */
    PREPARED,
    /** It has handed all writes over. */
    HANDED_OVER,
    /** All its writes are done. */
    DONE,
    /** A rank has all bytes, and nothing can be written there any more. */
    FILLED,
    /** A rank serves another version. */
    FLIPPED
  }

  /** Now. */
  static Moment now(What what) {
    return new Moment(what, nanosNow());
  }

  /** Nanoseconds of the clock that all processes of this machine have. */
  static long nanosNow() {
    return SharedClock.nanosNow();
  }

  /** Many of them on one line. */
  static String toLine(List<Moment> moments) {
    return moments.stream()
        .map(moment -> moment.what + ":" + moment.nanos)
        .collect(Collectors.joining(","));
  }

  /**
   * Takes the first ones, as many as go on one line; an empty line if there is none.
   *
   * @param moments loses them
   */
  static String take(List<Moment> moments) {
    List<Moment> first = moments.subList(0, Math.min(ON_A_LINE, moments.size()));
    String line = toLine(first);
    first.clear();
    return line;
  }

  static List<Moment> of(String line) {
    return line.isEmpty()
        ? List.of()
        : Arrays.stream(line.split(","))
            .map(one -> {
              int colon = one.indexOf(':');
              return new Moment(
                  What.valueOf(one.substring(0, colon)), Long.parseLong(one.substring(colon + 1)));
            })
            .toList();
  }
}
