package io.reactivetransfer.engine.base;

import java.util.ArrayDeque;
import java.util.concurrent.atomic.AtomicBoolean;
import reactor.core.Disposable;
import reactor.core.Exceptions;
import reactor.core.scheduler.Scheduler;

/** A signal scheduler that a test turns: what was scheduled stays where it is until then. */
public final class HandScheduler implements Scheduler {

  private final ArrayDeque<Runnable> tasks = new ArrayDeque<>();
  private int liveWorkers;
  public boolean rejecting;

  /** Runs the first task; false if there is none. */
  public boolean step() {
    Runnable task = tasks.poll();
    if (task != null) {
      task.run();
    }
    return task != null;
  }

  public void runUntilIdle() {
    while (step()) {
      // until there is none
    }
  }

  public int pending() {
    return tasks.size();
  }

  /** Workers that were made and not disposed. */
  public int liveWorkers() {
    return liveWorkers;
  }

  @Override
  public Disposable schedule(Runnable task) {
    if (rejecting) {
      throw Exceptions.failWithRejected();
    }
    AtomicBoolean disposed = new AtomicBoolean();
    tasks.add(() -> {
      if (!disposed.get()) {
        task.run();
      }
    });
    return () -> disposed.set(true);
  }

  @Override
  public Scheduler.Worker createWorker() {
    liveWorkers++;
    return new Scheduler.Worker() {
      private boolean disposed;

      @Override
      public Disposable schedule(Runnable task) {
        if (disposed) {
          throw Exceptions.failWithRejected();
        }
        return HandScheduler.this.schedule(() -> {
          if (!disposed) {
            task.run();
          }
        });
      }

      @Override
      public void dispose() {
        if (!disposed) {
          disposed = true;
          liveWorkers--;
        }
      }

      @Override
      public boolean isDisposed() {
        return disposed;
      }
    };
  }
}
