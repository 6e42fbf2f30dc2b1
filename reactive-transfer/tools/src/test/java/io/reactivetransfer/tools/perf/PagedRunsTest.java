package io.reactivetransfer.tools.perf;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class PagedRunsTest {

  private static final OperatingSystemMXBean PROCESS =
      ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);

  @Test
  void inOneProcessItsTimeCountsOnce() throws Exception {
    Duration time = Duration.ofMillis(500);
    try (PagedRuns runs = PagedRuns.openWrites("loopback", null, 1, 1 << 16, 8, 0)) {
      long begin = PROCESS.getProcessCpuTime();
      double bytes = runs.bytesPerSecond(time) * time.toNanos() / 1e9;
      long taken = PROCESS.getProcessCpuTime() - begin;
      assertThat(bytes * runs.cpuNanosPerByte()).isPositive().isLessThan(1.1 * taken);
    }
  }
}
