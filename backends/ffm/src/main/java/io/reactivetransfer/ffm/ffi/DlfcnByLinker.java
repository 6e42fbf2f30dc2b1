package io.reactivetransfer.ffm.ffi;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import org.jspecify.annotations.Nullable;

/** The calls, linked to the C library that the JVM itself runs with. */
public final class DlfcnByLinker implements Dlfcn {

  private final MethodHandle dlopen;
  private final MethodHandle dlsym;
  private final MethodHandle dlerror;

  /**
   * Looks the calls up.
   *
   * @throws IllegalCallerException if the JVM was started so that native access is denied
   * @throws java.util.NoSuchElementException if the C library has no such call
   */
  public DlfcnByLinker() {
    // void *dlopen(const char *filename, int flags)
    dlopen = Calls.linkPlain("dlopen", FunctionDescriptor.of(ADDRESS, ADDRESS, JAVA_INT));
    // void *dlsym(void *handle, const char *symbol)
    dlsym = Calls.linkPlain("dlsym", FunctionDescriptor.of(ADDRESS, ADDRESS, ADDRESS));
    // char *dlerror(void)
    dlerror = Calls.linkPlain("dlerror", FunctionDescriptor.of(ADDRESS));
  }

  @Override
  public MemorySegment dlopen(String filename, int flags) {
    try (Arena arena = Arena.ofConfined()) {
      return (MemorySegment) dlopen.invokeExact(arena.allocateFrom(filename), flags);
    } catch (Throwable e) {
      throw Calls.unexpected(e);
    }
  }

  @Override
  public MemorySegment dlsym(MemorySegment handle, String symbol) {
    try (Arena arena = Arena.ofConfined()) {
      return (MemorySegment) dlsym.invokeExact(handle, arena.allocateFrom(symbol));
    } catch (Throwable e) {
      throw Calls.unexpected(e);
    }
  }

  @Override
  public @Nullable String dlerror() {
    try {
      return Calls.string((MemorySegment) dlerror.invokeExact());
    } catch (Throwable e) {
      throw Calls.unexpected(e);
    }
  }
}
