package io.reactivetransfer.ffm.ffi;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Loading of shared libraries, under the names of C. From any thread; dlerror tells of the last
 * failure on the calling thread.
 *
 * @see <a href="https://man7.org/linux/man-pages/man3/dlopen.3.html">dlopen(3)</a>
 */
public interface Dlfcn {

  /** All symbols are bound before dlopen returns, or it fails. */
  int RTLD_NOW = 2;

  /** The symbols are for nobody who does not ask for them. */
  int RTLD_LOCAL = 0;

  /**
   * Loads a library, or counts one more user of it.
   *
   * @param filename a path if it has a slash; otherwise a name that is looked for
   * @return its handle, or {@link MemorySegment#NULL}
   */
  MemorySegment dlopen(String filename, int flags);

  /**
   * Looks a symbol up, in the library and those that it needs.
   *
   * @return its address, or {@link MemorySegment#NULL}
   * @see <a href="https://man7.org/linux/man-pages/man3/dlsym.3.html">dlsym(3)</a>
   */
  MemorySegment dlsym(MemorySegment handle, String symbol);

  /**
   * What failed last on this thread, and only once.
   *
   * @return a text, or null if nothing did
   * @see <a href="https://man7.org/linux/man-pages/man3/dlerror.3.html">dlerror(3)</a>
   */
  @Nullable String dlerror();
}
