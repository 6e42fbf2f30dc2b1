package io.reactivetransfer.ibverbs;

/**
 * How long a queue pair in the state of error is kept until the device says that it takes no more
 * of the shared receives: one that it has taken and not completed would be lost with it. Software
 * may say nothing, which is found out, so that it is not waited for each time.
 */
final class LastReceives {

  static final long WAIT_NANOS = 20_000_000;
  static final int MOST_IN_VAIN = 3;

  private int inVain;

  /** How long to wait; 0 where the device is known to say nothing. */
  long waitNanos() {
    return inVain < MOST_IN_VAIN ? WAIT_NANOS : 0;
  }

  /** It has said so. */
  void said() {
    inVain = 0;
  }

  /** It was waited for that long. */
  void waitedInVain() {
    inVain++;
  }
}
