package io.reactivetransfer.tools.jmh;

import io.reactivetransfer.spi.WorkerLoop;
import java.util.ArrayDeque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Runs an engine's worker on the caller's thread, so that a benchmark measures no hand-over. */
final class HandTurnedLoop implements WorkerLoop {

  private final Thread thread = Thread.currentThread();
  private final ArrayDeque<Runnable> tasks = new ArrayDeque<>();

  /** Runs what is queued, and what that queues. */
  void turn() {
    Runnable task;
    while ((task = tasks.poll()) != null) {
      task.run();
    }
  }

  @Override
  public boolean inLoop() {
    return Thread.currentThread().equals(thread);
  }

  @Override
  public void execute(Runnable task) {
    tasks.add(task);
  }

  @Override
  public void schedule(Runnable task, long delayNanos) {
    // no deadline is near in a benchmark
  }

  @Override
  public CompletionStage<Void> close() {
    return CompletableFuture.completedFuture(null);
  }
}
