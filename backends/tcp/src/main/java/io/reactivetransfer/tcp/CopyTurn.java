package io.reactivetransfer.tcp;

/**
 * How much one connection may have accelerators copy, of what comes in or of what goes out, before
 * others have their turn. Counts calls of their drivers, and not bytes: a row of one byte takes
 * about as much of the loop's time as one of thousands.
 */
final class CopyTurn {

  /** Each takes a microsecond or two to begin. */
  static final int MOST = 64;

  /** An accelerator needs so many times as long to answer. */
  private static final int WAITED = 8;

  private int left = MOST;

  /** Whether others are to have their turn first. */
  boolean isOver() {
    return left <= 0;
  }

  /** A copy was begun. */
  void began() {
    left--;
  }

  /** One was begun and waited for. */
  void waited() {
    left -= WAITED;
  }

  /** Others have had their turn. */
  void renew() {
    left = MOST;
  }
}
