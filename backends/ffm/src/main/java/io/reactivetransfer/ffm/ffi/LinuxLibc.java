package io.reactivetransfer.ffm.ffi;

import java.util.BitSet;

/**
 * The calls of the C library that are used here, under their names. A result below 0 is a negated
 * errno, as the kernel itself returns it: errno has to be caught at the call, and a value needs no
 * second call.
 */
public interface LinuxLibc {

  /** The calling thread, as a {@code pid}. */
  int CALLING_THREAD = 0;

  /**
   * Bits of a CPU set: far more than machines have, as the kernel refuses a set that is too small.
   */
  int MAX_CPUS = 1 << 13;

  /** An argument that makes no sense, such as a set without a usable CPU. */
  int EINVAL = 22;

  /**
   * Sets the CPUs that a thread may run on.
   *
   * @param pid id of the thread, or {@link #CALLING_THREAD}
   * @param mask one bit for each CPU, below {@link #MAX_CPUS}
   * @return 0, or a negated errno
   * @see <a
   *     href="https://man7.org/linux/man-pages/man2/sched_setaffinity.2.html">sched_setaffinity(2)</a>
   */
  int sched_setaffinity(int pid, BitSet mask);

  /**
   * Gets the CPUs that a thread may run on.
   *
   * @param pid id of the thread, or {@link #CALLING_THREAD}
   * @param mask is overwritten
   * @return 0, or a negated errno
   * @see <a
   *     href="https://man7.org/linux/man-pages/man2/sched_setaffinity.2.html">sched_getaffinity(2)</a>
   */
  int sched_getaffinity(int pid, BitSet mask);

  /**
   * The CPU on which the calling thread is running.
   *
   * @return its number, or a negated errno
   * @see <a href="https://man7.org/linux/man-pages/man3/sched_getcpu.3.html">sched_getcpu(3)</a>
   */
  int sched_getcpu();
}
