package io.reactivetransfer.staging;

import org.jspecify.annotations.Nullable;

/**
 * Buffers that a NIC could not let go of: it may touch them until it is closed, so nobody else uses
 * their room. Safe from any thread.
 */
final class Kept {

  private final int most;
  private int count;
  private @Nullable Throwable last;

  /**
   * None so far.
   *
   * @param most how many buffers there may be
   */
  Kept(int most) {
    this.most = most;
  }

  /** One more. */
  synchronized void add(Throwable why) {
    count++;
    last = Futures.why(why);
  }

  synchronized int count() {
    return count;
  }

  /** Why there will never be so many others at once; null as long as there may be. */
  synchronized @Nullable Failure shortage(int others) {
    Throwable why = last;
    return why == null || most - count >= others
        ? null
        : Failure.of(
            "there are no buffers left, since the NIC keeps "
                + count
                + " of "
                + most
                + " until its engine is closed; the last one, because of: ",
            why);
  }
}
