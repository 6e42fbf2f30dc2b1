package io.reactivetransfer.tools.perf;

import com.sun.management.OperatingSystemMXBean;
import com.sun.management.ThreadMXBean;
import java.lang.management.CompilationMXBean;
import java.lang.management.ManagementFactory;

/**
 * Meters this process between its making and its reading, both on one thread. What that thread
 * allocates does not count: it waits, and shows the progress.
 */
final class Meter {

  private static final OperatingSystemMXBean PROCESS =
      ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
  private static final ThreadMXBean THREADS =
      ManagementFactory.getPlatformMXBean(ThreadMXBean.class);

  private static final CompilationMXBean COMPILERS = ManagementFactory.getCompilationMXBean();

  private final long cpuNanos;
  private final long allocatedBytes;

  Meter() {
    allocatedBytes = allocated();
    cpuNanos = PROCESS.getProcessCpuTime();
  }

  Usage read() {
    long cpu = PROCESS.getProcessCpuTime() - cpuNanos;
    return new Usage(cpu, Math.max(0, allocated() - allocatedBytes));
  }

  /** How long the compilers of this process have worked by now. */
  static long compiledMillis() {
    return COMPILERS.getTotalCompilationTime();
  }

  private static long allocated() {
    return THREADS.getTotalThreadAllocatedBytes() - THREADS.getCurrentThreadAllocatedBytes();
  }
}
