package io.reactivetransfer.ffm.ffi;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/** The calls, linked to the C library that the JVM itself runs with. */
public final class SignalsByLinker implements Signals {

  private final MethodHandle sigaction;

  /**
   * Looks the calls up.
   *
   * @throws IllegalCallerException if the JVM was started so that native access is denied
   * @throws java.util.NoSuchElementException if the C library has no such call
   */
  public SignalsByLinker() {
    // int sigaction(int signum, const struct sigaction *act, struct sigaction *oldact)
    sigaction =
        Calls.link("sigaction", FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS, ADDRESS));
  }

  @Override
  public int getSigaction(int signum, Sigaction oldact) {
    return call(signum, MemorySegment.NULL, oldact.struct);
  }

  @Override
  public int setSigaction(int signum, Sigaction act) {
    return call(signum, act.struct, MemorySegment.NULL);
  }

  private int call(int signum, MemorySegment act, MemorySegment oldact) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment captured = arena.allocate(Calls.CAPTURED);
      int result = (int) sigaction.invokeExact(captured, signum, act, oldact);
      return Calls.orErrno(result, captured);
    } catch (Throwable e) {
      throw Calls.unexpected(e);
    }
  }
}
