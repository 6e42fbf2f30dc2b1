package io.reactivetransfer.ffm;

import io.reactivetransfer.ffm.ffi.Poll;
import io.reactivetransfer.ffm.ffi.PollFds;
import io.reactivetransfer.spi.BackendException;
import io.reactivetransfer.spi.NicWait;
import java.util.concurrent.atomic.AtomicInteger;

/** Waits for the descriptors of NICs, and for one of its own by which others wake it. */
final class LinuxNicWait implements NicWait {

  private static final int EINTR = 4;
  private static final int CLOSED = Integer.MIN_VALUE;

  private final Poll poll;

  /** The first of what is waited for. */
  private final int event;

  /**
   * How many are waking just now, and {@link #CLOSED}. The last one closes the descriptor: nobody
   * may write to its number later, which may be that of a file then.
   */
  private final AtomicInteger users = new AtomicInteger();

  private PollFds fds;

  LinuxNicWait(Poll poll, int event) {
    this.poll = poll;
    this.event = event;
    this.fds = new PollFds(event);
  }

  @Override
  public void watch(int[] descriptors) {
    int[] all = new int[descriptors.length + 1];
    all[0] = event;
    System.arraycopy(descriptors, 0, all, 1, descriptors.length);
    fds = new PollFds(all);
  }

  @Override
  public boolean await(long nanos) {
    int ready = poll.ppoll(fds, nanos);
    if (ready < 0) {
      if (ready == -EINTR) {
        return false;
      }
      throw new BackendException(
          -ready,
          "cannot wait for "
              + (fds.size() - 1)
              + " descriptors of NICs: ppoll failed with "
              + Errno.text(-ready));
    }
    if (ready > 0) {
      look();
    }
    return ready > 0;
  }

  private void look() {
    if (fds.revents(0) != 0) {
      poll.eventfd_read(fds, 0);
    }
    for (int i = 1; i < fds.size(); i++) {
      if ((fds.revents(i) & Poll.POLLNVAL) != 0) {
        throw new BackendException(
            0,
            "cannot wait for descriptor "
                + fds.fd(i)
                + " of a NIC: it is not open; a backend gives other descriptors when it has closed"
                + " one");
      }
    }
  }

  @Override
  public void wake() {
    int now = users.get();
    while (now >= 0) {
      if (users.compareAndSet(now, now + 1)) {
        poll.eventfd_write(event, 1);
        if (users.decrementAndGet() == CLOSED) {
          poll.close(event);
        }
        return;
      }
      now = users.get();
    }
  }

  @Override
  public void close() {
    if (users.getAndUpdate(now -> now | CLOSED) == 0) {
      poll.close(event);
    }
  }
}
