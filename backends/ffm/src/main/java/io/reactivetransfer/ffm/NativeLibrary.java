package io.reactivetransfer.ffm;

import io.reactivetransfer.ffm.ffi.Dlfcn;
import io.reactivetransfer.ffm.ffi.DlfcnByLinker;
import io.reactivetransfer.spi.Availability;
import io.reactivetransfer.spi.BackendException;
import java.lang.foreign.MemorySegment;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * A shared library of another vendor, by dlopen(3). It gives addresses; whoever calls them links
 * them in an {@code ffi} package of its own. Safe from any thread.
 *
 * <p>It is never closed. Such libraries start threads, and install handlers of signals, forks and
 * the end of the process; if their code were unmapped, these would run into nothing.
 *
 * @see <a href="https://man7.org/linux/man-pages/man3/dlopen.3.html">dlopen(3)</a>
 */
public final class NativeLibrary {

  private static final Linking<Dlfcn> LINKING =
      Linking.here(
          DlfcnByLinker::new,
          "shared libraries are loaded by dlopen",
          "dlopen",
          "do without native code, with the backend tcp and memory of the host");

  private final String name;
  private final Dlfcn dlfcn;
  private final MemorySegment handle;

  private NativeLibrary(String name, Dlfcn dlfcn, MemorySegment handle) {
    this.name = name;
    this.dlfcn = dlfcn;
    this.handle = handle;
  }

  /** Whether any can be loaded: not where this is not Linux, or the JVM denies native access. */
  public static Availability availability() {
    return LINKING.availability();
  }

  /**
   * Loads a library with all that it needs; runs its constructors. Its symbols become visible to
   * nobody else ({@code RTLD_NOW | RTLD_LOCAL}). May block, so not on a NIC's thread.
   *
   * @param nameOrPath a path if it has a slash; otherwise a name such as {@code libfabric.so.1},
   *     looked for in {@code LD_LIBRARY_PATH}, the cache of ldconfig(8) and the system's
   *     directories
   * @throws BackendException if it cannot be loaded, with the text of dlerror(3), or if this is not
   *     Linux or the JVM denies native access
   */
  public static NativeLibrary open(String nameOrPath) {
    return open(LINKING.calls("cannot load " + nameOrPath), nameOrPath);
  }

  static NativeLibrary open(Dlfcn dlfcn, String nameOrPath) {
    MemorySegment handle = dlfcn.dlopen(nameOrPath, Dlfcn.RTLD_NOW | Dlfcn.RTLD_LOCAL);
    if (handle.address() == 0) {
      throw new BackendException(
          0,
          "cannot load "
              + nameOrPath
              + ": "
              + orUnknown(dlfcn.dlerror())
              + "; install the library, or name its directory in LD_LIBRARY_PATH before this JVM"
              + " starts");
    }
    return new NativeLibrary(nameOrPath, dlfcn, handle);
  }

  /** Whether this is the same library, by whatever names and paths the two were asked for. */
  public boolean isSameAs(NativeLibrary other) {
    return handle.equals(other.handle);
  }

  /** As it was asked for. */
  public String name() {
    return name;
  }

  /**
   * The address of a function or variable.
   *
   * @param symbol as in C
   * @throws BackendException if the library, and those that it needs, have none
   */
  public long symbol(String symbol) {
    MemorySegment address = dlfcn.dlsym(handle, symbol);
    if (address.address() == 0) {
      throw new BackendException(
          0,
          "expected "
              + symbol
              + " in "
              + name
              + ", got none: "
              + orUnknown(dlfcn.dlerror())
              + "; install a version of the library that has it");
    }
    return address.address();
  }

  /** The address of a function or variable that not every version has. */
  public OptionalLong find(String symbol) {
    long address = dlfcn.dlsym(handle, symbol).address();
    if (address == 0) {
      dlfcn.dlerror(); // so that nobody takes it for a failure of theirs
      return OptionalLong.empty();
    }
    return OptionalLong.of(address);
  }

  private static String orUnknown(@Nullable String error) {
    return error == null ? "dlerror gives no reason" : error;
  }

  @Override
  public String toString() {
    return name;
  }
}
