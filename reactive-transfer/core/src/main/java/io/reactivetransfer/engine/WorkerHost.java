package io.reactivetransfer.engine;

import io.reactivetransfer.spi.Doorbell;
import java.util.concurrent.CompletionStage;

/** Gives a worker its turns, all on one thread. */
interface WorkerHost extends Doorbell {

  /** Begins to give turns. */
  void start(Worker worker);

  /** Whether the caller is on the worker's thread. */
  boolean inWorker();

  /**
   * Gives no further turn. Called in a turn; completes when the thread is done with this worker.
   */
  CompletionStage<Void> halt();
}
