package io.reactivetransfer.weights.version;

import java.util.Comparator;

/**
 * Names one update for ever: no two updates have the same number, whichever controllers run them,
 * and the ranks see numbers that rise. The version is the application's name for what was written;
 * this is the library's.
 *
 * @param round rises with each controller that takes over; 0 for what a rank had from the start
 * @param controller drawn at random by each controller
 * @param serial counts the updates of one controller
 */
public record UpdateNumber(long round, long controller, long serial)
    implements Comparable<UpdateNumber> {

  /** What a rank had before any update. */
  public static final UpdateNumber NONE = new UpdateNumber(0, 0, 0);

  private static final Comparator<UpdateNumber> ORDER =
      Comparator.comparing(UpdateNumber::term).thenComparingLong(UpdateNumber::serial);

  /** Checks the numbers. */
  public UpdateNumber {
    if (round < 0 || serial < 0) {
      throw new IllegalArgumentException(
          "expected a round and a serial of 0 or more, got " + round + " and " + serial);
    }
  }

  static UpdateNumber of(Term term, long serial) {
    return new UpdateNumber(term.round(), term.controller(), serial);
  }

  Term term() {
    return new Term(round, controller);
  }

  @Override
  public int compareTo(UpdateNumber other) {
    return ORDER.compare(this, other);
  }

  @Override
  public String toString() {
    return term() + "#" + serial;
  }
}
