package io.reactivetransfer.spi;

import java.util.concurrent.CompletionStage;

/**
 * A thread of a backend's own on which an engine's worker runs, such as an event loop; or a test
 * that turns the worker by hand.
 */
public interface WorkerLoop {

  /** Whether the caller is on the loop's thread. */
  boolean inLoop();

  /** Runs a task on the loop's thread: serially, in order, soon. From any thread. */
  void execute(Runnable task);

  /** Runs a task on the loop's thread after a delay. From any thread. */
  void schedule(Runnable task, long delayNanos);

  /**
   * Ends the loop. Called on its thread, as the last thing; returns without waiting.
   *
   * @return completes when the thread has ended, or runs nothing of this engine any more
   */
  CompletionStage<Void> close();
}
