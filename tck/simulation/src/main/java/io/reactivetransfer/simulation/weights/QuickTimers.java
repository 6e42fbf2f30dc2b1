package io.reactivetransfer.simulation.weights;

import java.util.concurrent.TimeUnit;
import reactor.core.Disposable;
import reactor.core.scheduler.Scheduler;

/**
 * Timers that run so many times as fast as the network: what is repeated four times a second comes
 * in time to be of use, and a run is not mostly heartbeats.
 */
final class QuickTimers implements Scheduler {

  private static final int TIMES = 100;

  private final Scheduler slow;

  QuickTimers(Scheduler slow) {
    this.slow = slow;
  }

  /** How long so much time of these timers takes on the network. */
  static long onTheNetwork(long nanos) {
    return nanos / TIMES;
  }

  @Override
  public Disposable schedule(Runnable task) {
    return slow.schedule(task);
  }

  @Override
  public Disposable schedule(Runnable task, long delay, TimeUnit unit) {
    return slow.schedule(task, onTheNetwork(unit.toNanos(delay)), TimeUnit.NANOSECONDS);
  }

  @Override
  public long now(TimeUnit unit) {
    return unit.convert(slow.now(TimeUnit.NANOSECONDS) * TIMES, TimeUnit.NANOSECONDS);
  }

  @Override
  public Worker createWorker() {
    Worker worker = slow.createWorker();
    return new Worker() {
      @Override
      public Disposable schedule(Runnable task) {
        return worker.schedule(task);
      }

      @Override
      public Disposable schedule(Runnable task, long delay, TimeUnit unit) {
        return worker.schedule(task, onTheNetwork(unit.toNanos(delay)), TimeUnit.NANOSECONDS);
      }

      @Override
      public void dispose() {
        worker.dispose();
      }

      @Override
      public boolean isDisposed() {
        return worker.isDisposed();
      }
    };
  }
}
