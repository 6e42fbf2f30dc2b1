package io.reactivetransfer.ffm;

import io.reactivetransfer.ffm.ffi.Stdlib;
import io.reactivetransfer.ffm.ffi.StdlibByLinker;
import io.reactivetransfer.spi.BackendException;
import java.util.Optional;

/**
 * The environment of the process as native code sees it, which is not the copy that {@link
 * System#getenv()} has. For settings that a library takes from there alone.
 *
 * <p>C does not make this safe: a thread of native code that reads the environment while it is set
 * may read freed memory. So set a variable only when it is needed, early, and <em>before the
 * library is loaded</em>: most libraries read theirs once, when they are loaded or opened.
 *
 * @see <a href="https://man7.org/linux/man-pages/man3/setenv.3.html">setenv(3)</a>
 */
public final class ProcessEnvironment {

  private static final Linking<Stdlib> LINKING =
      Linking.here(
          StdlibByLinker::new,
          "the environment is set by setenv",
          "setenv",
          "set the variable before this JVM starts");

  private ProcessEnvironment() {}

  /**
   * Sets a variable for native code, unless it is set: whoever started the process knows better.
   * Calls of this method exclude each other.
   *
   * @param name not empty, without {@code =}
   * @param value may be empty
   * @return whether it was set here; false if it had a value before, even an empty one
   * @throws BackendException if the C library refuses, or if this is not Linux or the JVM denies
   *     native access
   */
  public static synchronized boolean setIfAbsent(String name, String value) {
    requireText(name);
    requireText(value);
    Stdlib stdlib = LINKING.calls("cannot set " + name + " in the environment");
    if (stdlib.getenv(name) != null) {
      return false;
    }
    int set = stdlib.setenv(name, value, 0);
    if (set < 0) {
      throw new BackendException(
          -set,
          "cannot set '"
              + name
              + "' in the environment: setenv failed with "
              + Errno.text(-set)
              + "; expected a name that is not empty and has no '='");
    }
    return true;
  }

  /**
   * What native code finds under this name.
   *
   * @return the value, or nothing if it is not set
   * @throws BackendException if this is not Linux, or the JVM denies native access
   */
  public static synchronized Optional<String> get(String name) {
    requireText(name);
    return Optional.ofNullable(
        LINKING.calls("cannot read " + name + " in the environment").getenv(name));
  }

  private static void requireText(String text) {
    int zero = text.indexOf('\0');
    if (zero >= 0) {
      throw new IllegalArgumentException(
          "expected a text without a zero, which ends it in C; got one at index " + zero);
    }
  }
}
