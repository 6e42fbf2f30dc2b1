package io.reactivetransfer.tools.moe;

import io.reactivetransfer.spi.WorkerLoop;
import java.util.ArrayDeque;
import java.util.PriorityQueue;
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

  /** What is to be run later, the soonest first. */
  private final PriorityQueue<Timed> timed =
      new PriorityQueue<>((one, other) -> Long.signum(one.dueNanos - other.dueNanos));

  /** A task, and when it is due by the clock of the virtual machine. */
  private record Timed(Runnable task, long dueNanos) {}

  /** Runs one task that was handed in; false if there is none. */
  boolean turn() {
    Runnable task = next();
    if (task == null) {
      return false;
    }
    task.run();
    return true;
  }

  /**
   * Runs one task whose time has come; false if there is none. Not called while something is
   * measured, since no deadline is near then and to look at the clock is not for nothing.
   */
  boolean turnDue() {
    Runnable task = nextDue();
    if (task == null) {
      return false;
    }
    task.run();
    return true;
  }

  private synchronized @Nullable Runnable nextDue() {
    Timed first = timed.peek();
    if (first == null || first.dueNanos - System.nanoTime() > 0) {
      return null;
    }
    timed.remove();
    return first.task;
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
  public synchronized void schedule(Runnable task, long delayNanos) {
    timed.add(new Timed(task, System.nanoTime() + delayNanos));
  }

  @Override
  public CompletionStage<Void> close() {
    return CompletableFuture.completedFuture(null);
  }
}
