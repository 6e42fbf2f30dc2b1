package io.reactivetransfer.ibverbs;

/**
 * How long a queue pair in the state of error is kept until the device says that it takes no more
 * of the shared receives: one that it has taken and not completed would be lost with it. Software
 * may say nothing, which is found out, so that it is not waited for as long each time; but a
 * little, for what is on its way into the completion queue.
 */
final class LastReceives {

  static final long WAIT_NANOS = 20_000_000;
  static final long SHORT_WAIT_NANOS = 2_000_000;
  static final int MOST_IN_VAIN = 3;

  private int inVain;

  /** How long to wait; a little where the device is known to say nothing. */
  long waitNanos() {
    return inVain < MOST_IN_VAIN ? WAIT_NANOS : SHORT_WAIT_NANOS;
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
