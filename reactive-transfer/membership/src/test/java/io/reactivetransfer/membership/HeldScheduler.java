package io.reactivetransfer.membership;

import java.util.ArrayDeque;
import java.util.Queue;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.Exceptions;
import reactor.core.scheduler.Scheduler;

/** Keeps its tasks until a test has it run them. */
final class HeldScheduler implements Scheduler {

  private final Queue<Runnable> tasks = new ArrayDeque<>();
  private boolean isDisposed;

  @Override
  public Disposable schedule(Runnable task) {
    if (isDisposed) {
      throw Exceptions.failWithRejected();
    }
    tasks.add(task);
    return Disposables.disposed();
  }

  @Override
  public Worker createWorker() {
    throw new UnsupportedOperationException("nobody asks for one");
  }

  void runAll() {
    for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
      task.run();
    }
  }

  @Override
  public void dispose() {
    isDisposed = true;
  }

  @Override
  public boolean isDisposed() {
    return isDisposed;
  }
}
