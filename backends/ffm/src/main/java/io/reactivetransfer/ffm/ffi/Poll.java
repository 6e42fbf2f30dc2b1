package io.reactivetransfer.ffm.ffi;

/**
 * Waiting for file descriptors, under the names of C. A result below 0 is a negated errno.
 *
 * @see <a href="https://man7.org/linux/man-pages/man2/poll.2.html">ppoll(2)</a>
 * @see <a href="https://man7.org/linux/man-pages/man2/eventfd.2.html">eventfd(2)</a>
 */
public interface Poll {

  /** There is data to read. */
  short POLLIN = 0x1;

  /** The descriptor is not open. */
  short POLLNVAL = 0x20;

  /** Of {@link #eventfd}: the descriptor is closed in programs that this one starts. */
  int EFD_CLOEXEC = 0x80000;

  /** Of {@link #eventfd}: a read of 0 fails instead of blocking. */
  int EFD_NONBLOCK = 0x800;

  /**
   * Waits until one of the descriptors has what it is asked for, or the time is over. Blocks;
   * allocates nothing.
   *
   * @param fds what is waited for; gets what came
   * @param nanos how long at most, 0 or more
   * @return how many descriptors have something, 0 when the time was over, or a negated errno, such
   *     as that of EINTR
   */
  int ppoll(PollFds fds, long nanos);

  /**
   * Makes a counter that is a file descriptor, readable while it is above 0.
   *
   * @param initval its first value
   * @param flags {@link #EFD_CLOEXEC}, {@link #EFD_NONBLOCK}
   * @return the descriptor, or a negated errno
   */
  int eventfd(int initval, int flags);

  /**
   * Adds to the counter.
   *
   * @return 0, or a negated errno
   */
  int eventfd_write(int fd, long value);

  /**
   * Sets a counter to 0 that is among what is waited for. Allocates nothing.
   *
   * @param index of the counter in there
   * @return 0, or a negated errno: that of EAGAIN if it was 0 before and does not block
   */
  int eventfd_read(PollFds fds, int index);

  /**
   * Closes a file descriptor.
   *
   * @return 0, or a negated errno
   * @see <a href="https://man7.org/linux/man-pages/man2/close.2.html">close(2)</a>
   */
  int close(int fd);
}
