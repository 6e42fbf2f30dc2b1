package io.reactivetransfer.ibverbs.ffi;

import io.reactivetransfer.ffm.ffi.Poll;
import io.reactivetransfer.ffm.ffi.PollByLinker;
import io.reactivetransfer.ffm.ffi.PollFds;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Events behind a file descriptor, which can be read while there is one. */
final class FakeEvents {

  private static final Poll POLL = new PollByLinker();

  private final Queue<AsyncEvent> events = new ArrayDeque<>();
  private final int descriptor;
  private final PollFds fds;
  boolean blocks = true;

  FakeEvents() {
    descriptor = POLL.eventfd(0, Poll.EFD_CLOEXEC | Poll.EFD_NONBLOCK);
    if (descriptor < 0) {
      throw new IllegalStateException("eventfd failed with " + descriptor);
    }
    fds = new PollFds(descriptor);
  }

  int descriptor() {
    return descriptor;
  }

  void add(int type, long element) {
    if (events.isEmpty()) {
      POLL.eventfd_write(descriptor, 1);
    }
    events.add(new AsyncEvent(type, element));
  }

  /** The next one; null if there is none. */
  @Nullable AsyncEvent take() {
    AsyncEvent next = events.poll();
    if (next != null && events.isEmpty()) {
      POLL.eventfd_read(fds, 0);
    }
    return next;
  }

  void removeIf(Predicate<AsyncEvent> condition) {
    if (events.removeIf(condition) && events.isEmpty()) {
      POLL.eventfd_read(fds, 0);
    }
  }

  void close() {
    POLL.close(descriptor);
  }
}
