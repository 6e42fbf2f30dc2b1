package io.reactivetransfer.ffm.ffi;

/**
 * Advice on memory and locking of it, under the names of C. Addresses are native ones. A result
 * below 0 is a negated errno.
 */
public interface Mman {

  /** Pages are not there in a process that is forked off. */
  int MADV_DONTFORK = 10;

  /** Pages may be huge ones. */
  int MADV_HUGEPAGE = 14;

  /** What {@link #getrlimit} gives when there is no limit. */
  long RLIM_INFINITY = -1;

  /** How many bytes may be locked. */
  int RLIMIT_MEMLOCK = 8;

  /** Bytes of a page. */
  int getpagesize();

  /**
   * Advises the kernel.
   *
   * @param addr beginning of a page
   * @param length in bytes
   * @return 0, or a negated errno
   * @see <a href="https://man7.org/linux/man-pages/man2/madvise.2.html">madvise(2)</a>
   */
  int madvise(long addr, long length, int advice);

  /**
   * Keeps pages in memory.
   *
   * @return 0, or a negated errno
   * @see <a href="https://man7.org/linux/man-pages/man2/mlock.2.html">mlock(2)</a>
   */
  int mlock(long addr, long len);

  /**
   * Ends {@link #mlock}.
   *
   * @return 0, or a negated errno
   */
  int munlock(long addr, long len);

  /**
   * The limit that is in force, the soft one.
   *
   * @param resource such as {@link #RLIMIT_MEMLOCK}
   * @return the limit, {@link #RLIM_INFINITY}, or 0 if it cannot be had
   * @see <a href="https://man7.org/linux/man-pages/man2/getrlimit.2.html">getrlimit(2)</a>
   */
  long getrlimit(int resource);
}
