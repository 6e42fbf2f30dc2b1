package io.reactivetransfer.ffm;

import io.reactivetransfer.ffm.ffi.Poll;
import io.reactivetransfer.ffm.ffi.PollByLinker;
import io.reactivetransfer.spi.Availability;
import io.reactivetransfer.spi.BackendException;
import io.reactivetransfer.spi.NicWait;
import io.reactivetransfer.spi.NicWaits;
import java.util.function.Supplier;

/**
 * Waits for NICs by ppoll(2), and wakes by eventfd(2). On other systems than Linux, or in a JVM
 * that denies native access, it says that it is unavailable; nothing is linked before it is asked.
 */
public final class LinuxNicWaits implements NicWaits {

  private final Linking<Poll> linking;

  /** As the service loader makes it. */
  public LinuxNicWaits() {
    this(System.getProperty("os.name", "unknown"), PollByLinker::new);
  }

  LinuxNicWaits(String operatingSystem, Supplier<Poll> linking) {
    this.linking =
        new Linking<>(
            operatingSystem,
            linking,
            "threads wait for file descriptors by ppoll",
            "ppoll or eventfd",
            "have idle threads poll");
  }

  @Override
  public Availability availability() {
    return linking.availability();
  }

  @Override
  public NicWait open() {
    Poll poll = linking.calls("cannot wait for NICs");
    int event = poll.eventfd(0, Poll.EFD_CLOEXEC | Poll.EFD_NONBLOCK);
    if (event < 0) {
      throw new BackendException(
          -event,
          "cannot wait for NICs: eventfd failed with "
              + Errno.text(-event)
              + "; if no file descriptor is left, raise the limit (ulimit -n)");
    }
    return new LinuxNicWait(poll, event);
  }
}
