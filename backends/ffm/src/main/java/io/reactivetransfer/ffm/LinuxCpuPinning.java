package io.reactivetransfer.ffm;

import io.reactivetransfer.ffm.ffi.LinuxLibc;
import io.reactivetransfer.ffm.ffi.LinuxLibcByLinker;
import io.reactivetransfer.spi.Availability;
import io.reactivetransfer.spi.BackendException;
import io.reactivetransfer.spi.CpuPinning;
import java.util.BitSet;
import java.util.NoSuchElementException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Ties threads to CPUs on Linux. On other systems, or in a JVM that denies native access, it says
 * that it is unavailable; nothing is linked before it is asked.
 */
public final class LinuxCpuPinning implements CpuPinning {

  private final String operatingSystem;
  private final Supplier<LinuxLibc> linking;
  private volatile @Nullable Linked linked;

  /** What linking led to: the calls, or why there are none. */
  private record Linked(@Nullable LinuxLibc libc, Availability availability) {}

  /** As the service loader makes it. */
  public LinuxCpuPinning() {
    this(System.getProperty("os.name", "unknown"), LinuxLibcByLinker::new);
  }

  LinuxCpuPinning(String operatingSystem, Supplier<LinuxLibc> linking) {
    this.operatingSystem = operatingSystem;
    this.linking = linking;
  }

  @Override
  public Availability availability() {
    return linked().availability();
  }

  @Override
  public void pinCurrentThread(int cpu) {
    Linked now = linked();
    LinuxLibc libc = now.libc();
    if (libc == null) {
      throw new BackendException(0, "cannot pin to CPU " + cpu + ": " + why(now.availability()));
    }
    BitSet allowed = new BitSet();
    // What the process may use, as its first thread has it: the calling thread may have been tied
    // to
    // one CPU before, and may be tied to another now.
    int got = libc.sched_getaffinity((int) ProcessHandle.current().pid(), allowed);
    if (got < 0) {
      throw new BackendException(-got, "sched_getaffinity failed with errno " + -got);
    }
    // Asked first, though the kernel checks too: it takes a set that is partly allowed, and its
    // error
    // does not say what would have been.
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
          -set, "cannot pin to CPU " + cpu + ": sched_setaffinity failed with errno " + -set);
    }
  }

  private static String why(Availability availability) {
    return switch (availability) {
      case Availability.Unavailable no -> no.reason() + "; " + no.remedy();
      case Availability.Available yes -> throw new IllegalStateException("available: " + yes);
    };
  }

  /** Linked once; twice does no harm if two threads are the first. */
  private Linked linked() {
    Linked now = linked;
    if (now == null) {
      now = link();
      linked = now;
    }
    return now;
  }

  private Linked link() {
    if (!operatingSystem.equals("Linux")) {
      return none(
          "threads are tied to CPUs on Linux only, and this is " + operatingSystem,
          "leave the option cpu unset");
    }
    try {
      return new Linked(linking.get(), Availability.available());
    } catch (IllegalCallerException e) {
      return none(
          "this JVM denies native access",
          "start it with --enable-native-access=ALL-UNNAMED, or leave the option cpu unset");
    } catch (NoSuchElementException | UnsupportedOperationException e) {
      return none(
          "the C library has no sched_setaffinity: " + e.getMessage(),
          "use a JDK and a C library that have it, or leave the option cpu unset");
    }
  }

  private static Linked none(String reason, String remedy) {
    return new Linked(null, Availability.unavailable(reason, remedy));
  }
}
