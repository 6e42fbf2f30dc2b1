package io.reactivetransfer.engine;

import io.reactivetransfer.engine.base.Commands;
import io.reactivetransfer.engine.base.Defects;
import io.reactivetransfer.engine.base.Timers;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;
import reactor.core.Exceptions;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/**
 * The Reactor face of a worker's thread: tasks run between two turns of the NICs, in order, and
 * delayed ones when their time has come. It ends with the engine; disposing it by hand does
 * nothing, because the NICs are driven by the same thread.
 */
final class NicScheduler implements Scheduler {

  private final Commands commands;
  private final Timers timers;
  private final Defects defects;

  NicScheduler(Commands commands, Timers timers, Defects defects) {
    this.commands = commands;
    this.timers = timers;
    this.defects = defects;
  }

  @Override
  public Disposable schedule(Runnable task) {
    return submit(task, 0, 0, null);
  }

  @Override
  public Disposable schedule(Runnable task, long delay, TimeUnit unit) {
    return submit(task, unit.toNanos(delay), 0, null);
  }

  @Override
  public Disposable schedulePeriodically(
      Runnable task, long initialDelay, long period, TimeUnit unit) {
    return submit(task, unit.toNanos(initialDelay), Math.max(1, unit.toNanos(period)), null);
  }

  @Override
  public Scheduler.Worker createWorker() {
    return new TaskWorker();
  }

  @Override
  public void dispose() {}

  @Override
  public boolean isDisposed() {
    return commands.haveEnded();
  }

  @Override
  public String toString() {
    return "NicScheduler";
  }

  private Task submit(
      Runnable action, long delayNanos, long periodNanos, @Nullable TaskWorker owner) {
    if (isDisposed()) {
      throw Exceptions.failWithRejected("the engine is closed");
    }
    // As Reactor's own schedulers do: it carries the ThreadLocals of an application along.
    Task task = new Task(Schedulers.onSchedule(action), periodNanos, owner);
    if (owner != null) {
      owner.add(task);
    }
    if (delayNanos <= 0) {
      commands.execute(task);
    } else {
      long deadline = Timers.after(timers.now(), delayNanos);
      commands.execute(() -> task.runAt(deadline));
    }
    return task;
  }

  /** Tasks that are disposed together. */
  private final class TaskWorker implements Scheduler.Worker {
    private final Set<Task> pending = ConcurrentHashMap.newKeySet();
    private volatile boolean disposed;

    void add(Task task) {
      if (disposed) {
        throw new RejectedExecutionException("the worker is disposed");
      }
      pending.add(task);
      if (disposed) {
        task.dispose();
      }
    }

    @Override
    public Disposable schedule(Runnable task) {
      return submit(task, 0, 0, this);
    }

    @Override
    public Disposable schedule(Runnable task, long delay, TimeUnit unit) {
      return submit(task, unit.toNanos(delay), 0, this);
    }

    @Override
    public Disposable schedulePeriodically(
        Runnable task, long initialDelay, long period, TimeUnit unit) {
      return submit(task, unit.toNanos(initialDelay), Math.max(1, unit.toNanos(period)), this);
    }

    @Override
    public void dispose() {
      disposed = true;
      pending.forEach(Task::dispose);
    }

    @Override
    public boolean isDisposed() {
      return disposed;
    }
  }

  private final class Task implements Runnable, Disposable {
    private final Runnable action;
    private final long periodNanos;
    private final @Nullable TaskWorker owner;
    private Timers.@Nullable Timer timer;
    private volatile boolean over;

    Task(Runnable action, long periodNanos, @Nullable TaskWorker owner) {
      this.action = action;
      this.periodNanos = periodNanos;
      this.owner = owner;
    }

    /** On the worker. */
    void runAt(long deadline) {
      if (!over) {
        timer = timers.at(deadline, this);
      }
    }

    /** On the worker. */
    @Override
    public void run() {
      timer = null;
      if (over || commands.haveEnded()) {
        return;
      }
      long began = timers.now();
      try {
        action.run();
      } catch (Throwable failure) {
        defects.failed("a task on its scheduler", failure);
      }
      if (periodNanos > 0) {
        runAt(Timers.after(began, periodNanos));
      } else {
        end();
      }
    }

    @Override
    public void dispose() {
      if (!over) {
        end();
        commands.execute(() -> {
          if (timer != null) {
            timers.cancel(timer);
            timer = null;
          }
        });
      }
    }

    private void end() {
      over = true;
      if (owner != null) {
        owner.pending.remove(this);
      }
    }

    @Override
    public boolean isDisposed() {
      return over;
    }
  }
}
