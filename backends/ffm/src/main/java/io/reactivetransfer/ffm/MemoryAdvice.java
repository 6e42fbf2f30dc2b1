package io.reactivetransfer.ffm;

import io.reactivetransfer.ffm.ffi.Mman;
import io.reactivetransfer.ffm.ffi.MmanByLinker;
import io.reactivetransfer.spi.BackendException;
import java.lang.foreign.MemorySegment;

/**
 * What the kernel is told of native memory that NICs use. It holds for whole pages: those that a
 * segment touches only in part are included, with what else is on them. An empty segment has none.
 * Safe from any thread; each call may take long, so not for a NIC's thread.
 */
public final class MemoryAdvice {

  private static final int EPERM = 1;
  private static final int EAGAIN = 11;
  private static final int ENOMEM = 12;
  private static final int EINVAL = 22;

  private static final Linking<Mman> LINKING =
      Linking.here(
          MmanByLinker::new,
          "the kernel is advised by madvise and mlock",
          "madvise or mlock",
          "do without");

  private MemoryAdvice() {}

  /**
   * Lets the kernel use huge pages, for which a NIC needs fewer entries in its tables. Only where 2
   * MiB (on x86-64) that are aligned lie within the memory, and best before it is first touched.
   *
   * @throws BackendException if the kernel refuses; the memory is as good as before
   * @throws IllegalArgumentException for memory of the heap
   * @see <a href="https://man7.org/linux/man-pages/man2/madvise.2.html">madvise(2),
   *     MADV_HUGEPAGE</a>
   */
  public static void hugePages(MemorySegment memory) {
    hugePages(calls("advise huge pages for"), memory);
  }

  static void hugePages(Mman mman, MemorySegment memory) {
    advise(mman, memory, Mman.MADV_HUGEPAGE, "MADV_HUGEPAGE");
  }

  /**
   * Keeps the memory out of processes that are forked off: otherwise, the first write after a fork
   * moves the page away from where the NIC knows it.
   *
   * @throws BackendException if the kernel refuses
   * @throws IllegalArgumentException for memory of the heap
   * @see <a href="https://man7.org/linux/man-pages/man2/madvise.2.html">madvise(2),
   *     MADV_DONTFORK</a>
   */
  public static void dontFork(MemorySegment memory) {
    advise(calls("keep from children"), memory, Mman.MADV_DONTFORK, "MADV_DONTFORK");
  }

  /**
   * Keeps the memory from being swapped out, and touches all of it. Not counted: however often it
   * is locked, one {@link #unlock} ends it.
   *
   * @throws BackendException if the kernel refuses, with the limit that is in force
   * @throws IllegalArgumentException for memory of the heap
   * @see <a href="https://man7.org/linux/man-pages/man2/mlock.2.html">mlock(2)</a>
   */
  public static void lock(MemorySegment memory) {
    lock(calls("lock"), memory);
  }

  static void lock(Mman mman, MemorySegment memory) {
    requireNative(memory);
    if (memory.byteSize() > 0) {
      check(mman, memory, mman.mlock(memory.address(), memory.byteSize()), "mlock");
    }
  }

  /**
   * Ends {@link #lock}, for every page that the memory touches.
   *
   * @throws BackendException if the kernel refuses
   * @throws IllegalArgumentException for memory of the heap
   */
  public static void unlock(MemorySegment memory) {
    Mman mman = calls("unlock");
    requireNative(memory);
    if (memory.byteSize() > 0) {
      check(mman, memory, mman.munlock(memory.address(), memory.byteSize()), "munlock");
    }
  }

  private static void advise(Mman mman, MemorySegment memory, int advice, String name) {
    requireNative(memory);
    if (memory.byteSize() > 0) {
      long begin = memory.address() & -mman.getpagesize();
      long length = memory.address() + memory.byteSize() - begin;
      check(mman, memory, mman.madvise(begin, length, advice), "madvise " + name);
    }
  }

  private static Mman calls(String what) {
    return LINKING.calls("cannot " + what + " memory");
  }

  private static void requireNative(MemorySegment memory) {
    if (!memory.isNative()) {
      throw new IllegalArgumentException(
          "expected native memory, got memory of the heap, which the collector moves; allocate it"
              + " from an Arena");
    }
  }

  private static void check(Mman mman, MemorySegment memory, int result, String call) {
    if (result < 0) {
      throw new BackendException(
          -result,
          call
              + " of "
              + memory.byteSize()
              + " bytes failed with "
              + Errno.text(-result)
              + remedy(mman, call, -result));
    }
  }

  private static String remedy(Mman mman, String call, int errno) {
    if (call.equals("mlock") && (errno == ENOMEM || errno == EPERM || errno == EAGAIN)) {
      long limit = mman.getrlimit(Mman.RLIMIT_MEMLOCK);
      return "; this process may lock "
          + (limit == Mman.RLIM_INFINITY ? "any number of" : Long.toString(limit))
          + " bytes in all (RLIMIT_MEMLOCK): raise it by 'ulimit -l' before this JVM starts, by"
          + " memlock in /etc/security/limits.conf, or by LimitMEMLOCK of the service";
    }
    if (call.endsWith("HUGEPAGE") && errno == EINVAL) {
      return "; the kernel has no transparent huge pages, see"
          + " /sys/kernel/mm/transparent_hugepage/enabled: do without";
    }
    return "";
  }
}
