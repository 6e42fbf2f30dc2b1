package io.reactivetransfer.ffm.ffi;

/**
 * What happens on a signal, under the names of C. A result below 0 is a negated errno.
 *
 * @see <a href="https://man7.org/linux/man-pages/man2/sigaction.2.html">sigaction(2)</a>
 */
public interface Signals {

  /**
   * Gets what happens on a signal.
   *
   * @param signum its number
   * @param oldact is overwritten
   * @return 0, or a negated errno
   */
  int getSigaction(int signum, Sigaction oldact);

  /**
   * Sets what happens on a signal, for the whole process.
   *
   * @param signum its number
   * @return 0, or a negated errno
   */
  int setSigaction(int signum, Sigaction act);
}
