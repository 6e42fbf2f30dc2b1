package io.reactivetransfer.examples.moe;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.concurrent.atomic.AtomicLong;
import reactor.core.Disposable;
import reactor.core.scheduler.Scheduler;

/**
 * Adds up the CPU time of what a group does on its scheduler: copies, sums and signals. A group
 * whose scheduler this is does not work on the NIC's thread, whatever this one gives tasks to.
 */
final class WorkScheduler implements Scheduler {

  private final Scheduler scheduler;
  private final ThreadMXBean threads = ManagementFactory.getThreadMXBean();
  private final CompilerTime compilers = new CompilerTime();
  private final AtomicLong nanos = new AtomicLong();

  /** What is done there is done on another one. */
  WorkScheduler(Scheduler scheduler) {
    this.scheduler = scheduler;
  }

  /** Since this process has begun. */
  Work work() {
    OperatingSystemMXBean system = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
    return new Work(nanos.get(), compilers.nanos(), system.getProcessCpuTime());
  }

  @Override
  public Disposable schedule(Runnable task) {
    return scheduler.schedule(() -> {
      long began = threads.getCurrentThreadCpuTime();
      task.run();
      nanos.addAndGet(threads.getCurrentThreadCpuTime() - began);
    });
  }

  @Override
  public Worker createWorker() {
    return scheduler.createWorker();
  }
}
