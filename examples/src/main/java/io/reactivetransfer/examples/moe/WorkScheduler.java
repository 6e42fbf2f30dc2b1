package io.reactivetransfer.examples.moe;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.stream.IntStream;
import reactor.core.Disposable;
import reactor.core.scheduler.Scheduler;

/** Adds up the CPU time of what a group does on its scheduler. */
final class WorkScheduler implements Scheduler {

  /** What a step has done there, in this order. */
  static final List<String> KINDS =
      List.of("tokens in send order", "tokens to experts", "results in blocks", "sums");

  private final Scheduler scheduler;
  private final ThreadMXBean threads = ManagementFactory.getThreadMXBean();
  private final AtomicLongArray nanos = new AtomicLongArray(KINDS.size());
  private final AtomicLong begun = new AtomicLong();

  /** What is done there is done on another one. */
  WorkScheduler(Scheduler scheduler) {
    this.scheduler = scheduler;
  }

  /** Since this process has begun. As long as steps do not overlap, it is by kind. */
  Work work() {
    OperatingSystemMXBean system = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
    List<Long> ofKinds = IntStream.range(0, KINDS.size()).mapToObj(nanos::get).toList();
    return new Work(ofKinds, system.getProcessCpuTime());
  }

  @Override
  public Disposable schedule(Runnable task) {
    int kind = (int) (begun.getAndIncrement() % KINDS.size());
    return scheduler.schedule(() -> {
      long began = threads.getCurrentThreadCpuTime();
      task.run();
      nanos.addAndGet(kind, threads.getCurrentThreadCpuTime() - began);
    });
  }

  @Override
  public Worker createWorker() {
    return scheduler.createWorker();
  }
}
