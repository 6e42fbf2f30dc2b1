package io.reactivetransfer.ffm.ffi;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import org.jspecify.annotations.Nullable;

/** The calls, linked to the C library that the JVM itself runs with. */
public final class StdlibByLinker implements Stdlib {

  private final MethodHandle getenv;
  private final MethodHandle setenv;

  /**
   * Looks the calls up.
   *
   * @throws IllegalCallerException if the JVM was started so that native access is denied
   * @throws java.util.NoSuchElementException if the C library has no such call
   */
  public StdlibByLinker() {
    // char *getenv(const char *name)
    getenv = Calls.linkPlain("getenv", FunctionDescriptor.of(ADDRESS, ADDRESS));
    // int setenv(const char *name, const char *value, int overwrite)
    setenv = Calls.link("setenv", FunctionDescriptor.of(JAVA_INT, ADDRESS, ADDRESS, JAVA_INT));
  }

  @Override
  public @Nullable String getenv(String name) {
    try (Arena arena = Arena.ofConfined()) {
      return Calls.string((MemorySegment) getenv.invokeExact(arena.allocateFrom(name)));
    } catch (Throwable e) {
      throw Calls.unexpected(e);
    }
  }

  @Override
  public int setenv(String name, String value, int overwrite) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment captured = arena.allocate(Calls.CAPTURED);
      int result =
          (int)
              setenv.invokeExact(
                  captured, arena.allocateFrom(name), arena.allocateFrom(value), overwrite);
      return Calls.orErrno(result, captured);
    } catch (Throwable e) {
      throw Calls.unexpected(e);
    }
  }
}
