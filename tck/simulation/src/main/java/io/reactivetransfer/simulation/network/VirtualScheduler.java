package io.reactivetransfer.simulation.network;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import reactor.core.Disposable;
import reactor.core.scheduler.Scheduler;

/**
 * The signal scheduler of a simulated process. As with a pool of threads, what is scheduled on it
 * runs in any order, and what is scheduled on one of its workers runs in order.
 */
public final class VirtualScheduler implements Scheduler {

  private final SimulatedProcess process;
  private int liveWorkers;
  private int depth;

  /** Of this process. */
  public VirtualScheduler(SimulatedProcess process) {
    this.process = process;
  }

  /** Whether one of its tasks is running. */
  public boolean isRunning() {
    return depth > 0;
  }

  /** Workers that were made and not disposed. */
  public int liveWorkers() {
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
  public long now(TimeUnit unit) {
    return unit.convert(process.nanos(), TimeUnit.NANOSECONDS);
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
      lane.execute(unlessDisposed(task(action, taskDisposed)));
      return disposable(taskDisposed);
    }

    @Override
    public Disposable schedule(Runnable action, long delay, TimeUnit unit) {
      AtomicBoolean taskDisposed = new AtomicBoolean();
      lane.schedule(unlessDisposed(task(action, taskDisposed)), unit.toNanos(delay));
      return disposable(taskDisposed);
    }

    private Runnable unlessDisposed(Runnable task) {
      return () -> {
        if (!disposed.get()) {
          task.run();
        }
      };
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
