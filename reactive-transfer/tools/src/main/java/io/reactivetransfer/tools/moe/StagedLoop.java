package io.reactivetransfer.tools.moe;

import io.reactivetransfer.spi.WorkerLoop;
import java.util.ArrayDeque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Runs an engine's worker on the thread that measures, so that what is measured is all done by one
 * thread. Others may hand something in, too: while ranks join, their timers do.
 */
final class StagedLoop implements WorkerLoop {

  private final Thread thread = Thread.currentThread();
  private final ArrayDeque<Runnable> tasks = new ArrayDeque<>();

  /** Runs one task that was handed in; false if there is none. */
  boolean turn() {
    Runnable task = next();
    if (task == null) {
      return false;
    }
    task.run();
    return true;
  }

  private synchronized @Nullable Runnable next() {
    return tasks.poll();
  }

  @Override
  public boolean inLoop() {
    return Thread.currentThread().equals(thread);
  }

  @Override
  public synchronized void execute(Runnable task) {
    tasks.add(task);
  }

  @Override
  public void schedule(Runnable task, long delayNanos) {
    // No deadline is near while something is measured, and whoever waits turns all the time.
  }

  @Override
  public CompletionStage<Void> close() {
    return CompletableFuture.completedFuture(null);
  }
}
