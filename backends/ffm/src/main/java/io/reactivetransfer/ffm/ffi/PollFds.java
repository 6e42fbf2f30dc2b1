package io.reactivetransfer.ffm.ffi;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;

/**
 * The memory of one {@link Poll#ppoll}, made once for many calls: an array of {@code struct
 * pollfd}, a {@code struct timespec}, and a place for errno. For one thread; freed when it is
 * reached no more.
 */
public final class PollFds {

  // struct pollfd { int fd; short events; short revents; }
  private static final long STRIDE = 8;
  private static final long EVENTS = 4;
  private static final long REVENTS = 6;

  // struct timespec { time_t tv_sec; long tv_nsec; }
  private static final StructLayout TIMESPEC =
      MemoryLayout.structLayout(JAVA_LONG.withName("tv_sec"), JAVA_LONG.withName("tv_nsec"));

  private static final long NANOS = 1_000_000_000;

  final MemorySegment fds;
  final MemorySegment timeout;
  final MemorySegment captured;
  final MemorySegment value;
  private final int size;

  /**
   * Waits for {@link Poll#POLLIN} on each of these.
   *
   * @param descriptors open file descriptors
   */
  public PollFds(int... descriptors) {
    Arena arena = Arena.ofAuto();
    size = descriptors.length;
    fds = arena.allocate(Math.max(1, size) * STRIDE, Integer.BYTES);
    timeout = arena.allocate(TIMESPEC);
    captured = arena.allocate(Calls.CAPTURED);
    value = arena.allocate(JAVA_LONG);
    for (int i = 0; i < size; i++) {
      fds.set(JAVA_INT, i * STRIDE, descriptors[i]);
      fds.set(JAVA_SHORT, i * STRIDE + EVENTS, Poll.POLLIN);
    }
  }

  /** How many descriptors there are. */
  public int size() {
    return size;
  }

  /** The descriptor at an index from 0 to {@link #size()} - 1. */
  public int fd(int index) {
    return fds.get(JAVA_INT, index * STRIDE);
  }

  /** What the last call found for it: a set of bits, such as {@link Poll#POLLIN}. */
  public short revents(int index) {
    return fds.get(JAVA_SHORT, index * STRIDE + REVENTS);
  }

  void setTimeout(long nanos) {
    timeout.set(JAVA_LONG, 0, nanos / NANOS);
    timeout.set(JAVA_LONG, Long.BYTES, nanos % NANOS);
  }
}
