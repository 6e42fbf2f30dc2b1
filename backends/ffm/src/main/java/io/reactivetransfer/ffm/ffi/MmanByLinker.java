package io.reactivetransfer.ffm.ffi;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/** The calls, linked to the C library that the JVM itself runs with. */
public final class MmanByLinker implements Mman {

  // struct rlimit { rlim_t rlim_cur; rlim_t rlim_max; }
  private static final long RLIMIT_BYTES = 16;

  private final MethodHandle getpagesize;
  private final MethodHandle madvise;
  private final MethodHandle mlock;
  private final MethodHandle munlock;
  private final MethodHandle getrlimit;

  /**
   * Looks the calls up.
   *
   * @throws IllegalCallerException if the JVM was started so that native access is denied
   * @throws java.util.NoSuchElementException if the C library has no such call
   */
  public MmanByLinker() {
    getpagesize = Calls.linkPlain("getpagesize", FunctionDescriptor.of(JAVA_INT));
    // int madvise(void addr[.length], size_t length, int advice); the addresses are numbers here
    madvise =
        Calls.link("madvise", FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_INT));
    // int mlock(const void addr[.len], size_t len); munlock alike
    FunctionDescriptor range = FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG);
    mlock = Calls.link("mlock", range);
    munlock = Calls.link("munlock", range);
    // int getrlimit(int resource, struct rlimit *rlim)
    getrlimit = Calls.link("getrlimit", FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS));
  }

  @Override
  public int getpagesize() {
    try {
      return (int) getpagesize.invokeExact();
    } catch (Throwable e) {
      throw Calls.unexpected(e);
    }
  }

  @Override
  public int madvise(long addr, long length, int advice) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment captured = arena.allocate(Calls.CAPTURED);
      int result = (int) madvise.invokeExact(captured, addr, length, advice);
      return Calls.orErrno(result, captured);
    } catch (Throwable e) {
      throw Calls.unexpected(e);
    }
  }

  @Override
  public int mlock(long addr, long len) {
    return onRange(mlock, addr, len);
  }

  @Override
  public int munlock(long addr, long len) {
    return onRange(munlock, addr, len);
  }

  private static int onRange(MethodHandle call, long addr, long len) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment captured = arena.allocate(Calls.CAPTURED);
      int result = (int) call.invokeExact(captured, addr, len);
      return Calls.orErrno(result, captured);
    } catch (Throwable e) {
      throw Calls.unexpected(e);
    }
  }

  @Override
  public long getrlimit(int resource) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment captured = arena.allocate(Calls.CAPTURED);
      MemorySegment limits = arena.allocate(RLIMIT_BYTES, Long.BYTES);
      int result = (int) getrlimit.invokeExact(captured, resource, limits);
      return result < 0 ? 0 : limits.get(JAVA_LONG, 0);
    } catch (Throwable e) {
      throw Calls.unexpected(e);
    }
  }
}
