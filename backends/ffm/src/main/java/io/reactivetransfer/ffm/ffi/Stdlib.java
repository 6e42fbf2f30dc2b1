package io.reactivetransfer.ffm.ffi;

import org.jspecify.annotations.Nullable;

/** The environment of the process, under the names of C. A result below 0 is a negated errno. */
public interface Stdlib {

  /**
   * A variable of the environment as native code sees it.
   *
   * @return its value, or null if it is not set
   * @see <a href="https://man7.org/linux/man-pages/man3/getenv.3.html">getenv(3)</a>
   */
  @Nullable String getenv(String name);

  /**
   * Sets a variable of the environment. Not safe while another thread uses the environment.
   *
   * @param overwrite 0 to leave a variable alone that is set
   * @return 0, or a negated errno
   * @see <a href="https://man7.org/linux/man-pages/man3/setenv.3.html">setenv(3)</a>
   */
  int setenv(String name, String value, int overwrite);
}
