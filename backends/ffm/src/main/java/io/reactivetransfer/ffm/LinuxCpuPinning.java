package io.reactivetransfer.ffm;

import io.reactivetransfer.ffm.ffi.LinuxLibc;
import io.reactivetransfer.ffm.ffi.LinuxLibcByLinker;
import io.reactivetransfer.spi.Availability;
import io.reactivetransfer.spi.BackendException;
import io.reactivetransfer.spi.CpuPinning;
import java.util.BitSet;
import java.util.function.Supplier;

/**
 * Ties threads to CPUs on Linux. On other systems, or in a JVM that denies native access, it says
 * that it is unavailable; nothing is linked before it is asked.
 */
public final class LinuxCpuPinning implements CpuPinning {

  private final Linking<LinuxLibc> linking;

  /** As the service loader makes it. */
  public LinuxCpuPinning() {
    this(System.getProperty("os.name", "unknown"), LinuxLibcByLinker::new);
  }

  LinuxCpuPinning(String operatingSystem, Supplier<LinuxLibc> linking) {
    this.linking =
        new Linking<>(
            operatingSystem,
            linking,
            "threads are tied to CPUs",
            "sched_setaffinity",
            "leave the option cpu unset");
  }

  @Override
  public Availability availability() {
    return linking.availability();
  }

  @Override
  public void pinCurrentThread(int cpu) {
    LinuxLibc libc = linking.calls("cannot pin to CPU " + cpu);
    BitSet allowed = new BitSet();
    // What the process may use, as its first thread has it: the calling thread may have been tied
    // to one CPU before, and may be tied to another now.
    int got = libc.sched_getaffinity((int) ProcessHandle.current().pid(), allowed);
    if (got < 0) {
      throw new BackendException(-got, "sched_getaffinity failed with " + Errno.text(-got));
    }
    // Asked first, though the kernel checks too: it takes a set that is partly allowed, and its
    // error does not say what would have been.
    if (cpu < 0 || !allowed.get(cpu)) {
      throw new BackendException(
          LinuxLibc.EINVAL,
          "cannot pin to CPU "
              + cpu
              + ": this process may use "
              + CpuList.of(allowed)
              + "; the others do not exist, or taskset, a cpuset or a container excludes them");
    }
    BitSet one = new BitSet();
    one.set(cpu);
    int set = libc.sched_setaffinity(LinuxLibc.CALLING_THREAD, one);
    if (set < 0) {
      throw new BackendException(
          -set, "cannot pin to CPU " + cpu + ": sched_setaffinity failed with " + Errno.text(-set));
    }
  }
}
