package io.reactivetransfer.ffm.ffi;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/** The calls, linked to the C library that the JVM itself runs with. */
public final class PollByLinker implements Poll {

  private final MethodHandle ppoll;
  private final MethodHandle eventfd;
  private final MethodHandle eventfdWrite;
  private final MethodHandle eventfdRead;
  private final MethodHandle close;

  /**
   * Looks the calls up.
   *
   * @throws IllegalCallerException if the JVM was started so that native access is denied
   * @throws java.util.NoSuchElementException if the C library has no such call
   */
  public PollByLinker() {
    // int ppoll(struct pollfd *fds, nfds_t nfds, const struct timespec *tmo_p,
    //           const sigset_t *sigmask)
    ppoll =
        Calls.link("ppoll", FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_LONG, ADDRESS, ADDRESS));
    eventfd = Calls.link("eventfd", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT));
    eventfdWrite =
        Calls.link("eventfd_write", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG));
    eventfdRead = Calls.link("eventfd_read", FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS));
    close = Calls.link("close", FunctionDescriptor.of(JAVA_INT, JAVA_INT));
  }

  @Override
  public int ppoll(PollFds fds, long nanos) {
    fds.setTimeout(nanos);
    try {
      int result =
          (int)
              ppoll.invokeExact(
                  fds.captured, fds.fds, (long) fds.size(), fds.timeout, MemorySegment.NULL);
      return Calls.orErrno(result, fds.captured);
    } catch (Throwable e) {
      throw Calls.unexpected(e);
    }
  }

  @Override
  public int eventfd(int initval, int flags) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment captured = arena.allocate(Calls.CAPTURED);
      int result = (int) eventfd.invokeExact(captured, initval, flags);
      return Calls.orErrno(result, captured);
    } catch (Throwable e) {
      throw Calls.unexpected(e);
    }
  }

  @Override
  public int eventfd_write(int fd, long value) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment captured = arena.allocate(Calls.CAPTURED);
      int result = (int) eventfdWrite.invokeExact(captured, fd, value);
      return Calls.orErrno(result, captured);
    } catch (Throwable e) {
      throw Calls.unexpected(e);
    }
  }

  @Override
  public int eventfd_read(PollFds fds, int index) {
    try {
      int result = (int) eventfdRead.invokeExact(fds.captured, fds.fd(index), fds.value);
      return Calls.orErrno(result, fds.captured);
    } catch (Throwable e) {
      throw Calls.unexpected(e);
    }
  }

  @Override
  public int close(int fd) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment captured = arena.allocate(Calls.CAPTURED);
      int result = (int) close.invokeExact(captured, fd);
      return Calls.orErrno(result, captured);
    } catch (Throwable e) {
      throw Calls.unexpected(e);
    }
  }
}
