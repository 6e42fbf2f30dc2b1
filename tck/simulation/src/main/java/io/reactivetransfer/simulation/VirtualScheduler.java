package io.reactivetransfer.simulation;

import io.reactivetransfer.simulation.network.SimulatedProcess;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import reactor.core.Disposable;
import reactor.core.scheduler.Scheduler;

/**
 * The signal scheduler of a simulated process. As with a pool of threads, what is scheduled on it
 * runs in any order, and what is scheduled on one of its workers runs in order.
 */
final class VirtualScheduler implements Scheduler {

  private final SimulatedProcess process;
  private int liveWorkers;
  private int depth;

  VirtualScheduler(SimulatedProcess process) {
    this.process = process;
  }

  /** Whether one of its tasks is running. */
  boolean isRunning() {
    return depth > 0;
  }

  /** Workers that were made and not disposed. */
  int liveWorkers() {
    return liveWorkers;
  }

  private Runnable task(Runnable action, AtomicBoolean disposed) {
    return () -> {
      if (!disposed.get()) {
        depth++;
        try {
          action.run();
        } finally {
          depth--;
        }
      }
    };
  }

  private static Disposable disposable(AtomicBoolean disposed) {
    return () -> disposed.set(true);
  }

  @Override
  public Disposable schedule(Runnable action) {
    return schedule(action, 0, TimeUnit.NANOSECONDS);
  }

  @Override
  public Disposable schedule(Runnable action, long delay, TimeUnit unit) {
    AtomicBoolean disposed = new AtomicBoolean();
    process.execute(task(action, disposed), unit.toNanos(delay));
    return disposable(disposed);
  }

  @Override
  public Scheduler.Worker createWorker() {
    liveWorkers++;
    return new LaneWorker(process.newLane());
  }

  private final class LaneWorker implements Scheduler.Worker {
    private final SimulatedProcess.Lane lane;
    private final AtomicBoolean disposed = new AtomicBoolean();

    LaneWorker(SimulatedProcess.Lane lane) {
      this.lane = lane;
    }

    @Override
    public Disposable schedule(Runnable action) {
      AtomicBoolean taskDisposed = new AtomicBoolean();
      Runnable task = task(action, taskDisposed);
      lane.execute(() -> {
        if (!disposed.get()) {
          task.run();
        }
      });
      return disposable(taskDisposed);
    }

    @Override
    public void dispose() {
      if (disposed.compareAndSet(false, true)) {
        liveWorkers--;
      }
    }

    @Override
    public boolean isDisposed() {
      return disposed.get();
    }
  }
}
