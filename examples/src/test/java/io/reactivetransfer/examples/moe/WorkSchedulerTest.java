package io.reactivetransfer.examples.moe;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.List;
import org.junit.jupiter.api.Test;
import reactor.core.scheduler.Schedulers;

/** What a group does on its scheduler, and where that is. */
class WorkSchedulerTest {

  private final WorkScheduler scheduler = new WorkScheduler(Schedulers.immediate());

  @Test
  void workIsAddedUp() {
    Work before = Work.of(scheduler.work().toLine());
    scheduler.schedule(() -> {});
    scheduler.schedule(WorkSchedulerTest::busy);
    Work work = scheduler.work().since(before);
    assertThat(work.ofGroup()).isGreaterThanOrEqualTo(10_000_000);
    assertThat(work.all()).isGreaterThanOrEqualTo(10_000_000);
    assertThat(Work.of(work.toLine())).isEqualTo(work);
  }

  @Test
  void whatOneProcessTookIsCountedOnce() {
    Work first = new Work(1, 10, 100);
    Work second = new Work(2, 11, 101);
    assertThat(Work.sum(List.of(first, second), false)).isEqualTo(new Work(3, 21, 201));
    assertThat(Work.sum(List.of(first, second), true)).isEqualTo(new Work(3, 10, 100));
    assertThat(first.and(second).since(second)).isEqualTo(first);
    assertThat(second.withoutCompilers()).isEqualTo(90);
  }

  /** A group knows it by nothing else. */
  @Test
  void onTheNicsThreadAGroupHasTheSchedulerThatSaysSo() {
    assertThat(Signals.NIC.ofGroup(scheduler)).isSameAs(Schedulers.immediate());
    assertThat(Signals.PARALLEL.ofGroup(scheduler)).isSameAs(scheduler);
  }

  /** For ten of the ticks in which kernels count what a process takes. */
  private static void busy() {
    ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    long until = threads.getCurrentThreadCpuTime() + 100_000_000;
    while (threads.getCurrentThreadCpuTime() < until) {
      Thread.onSpinWait();
    }
  }
}
