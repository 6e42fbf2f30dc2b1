package io.reactivetransfer.moe;

import reactor.util.Logger;
import reactor.util.Loggers;

/** What somebody else's code has thrown, whose methods may throw themselves. */
final class Thrown {

  private static final Logger LOG = Loggers.getLogger(Thrown.class);

  private Thrown() {}

  /** What it says. */
  static String textOf(Throwable thrown) {
    try {
      return String.valueOf(thrown.toString());
    } catch (Throwable unsaid) {
      return "a " + thrown.getClass().getName() + " whose toString() throws";
    }
  }

  /** A subscriber has thrown it: that is logged if it is possible, and ends nothing. */
  static void log(Throwable thrown) {
    try {
      LOG.error("a subscriber has thrown what it must not", thrown);
    } catch (Throwable unsaid) {
      // What is to be done behind it is more important.
    }
  }
}
