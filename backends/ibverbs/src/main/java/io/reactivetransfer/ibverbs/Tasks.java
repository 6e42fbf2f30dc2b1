package io.reactivetransfer.ibverbs;

import io.reactivetransfer.spi.BackendException;
import io.reactivetransfer.spi.Doorbell;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Calls that may block, such as those that pin memory or look for the way to a peer: made by
 * threads of their own. The NIC's thread takes in what became of them.
 */
final class Tasks {

  private final Set<Thread> running = ConcurrentHashMap.newKeySet();
  private final Queue<Runnable> ended = new ConcurrentLinkedQueue<>();
  private final Doorbell doorbell;
  private boolean closed;

  Tasks(Doorbell doorbell) {
    this.doorbell = doorbell;
  }

  /**
   * Begins one.
   *
   * @param task on a thread of its own
   * @param then with what it gave, on the NIC's thread
   * @param otherwise with what it threw, on the NIC's thread
   */
  <T> void run(Supplier<T> task, Consumer<T> then, Consumer<BackendException> otherwise) {
    Consumer<BackendException> refused = refusal -> ended.add(() -> otherwise.accept(refusal));
    start(
        () -> {
          try {
            T result = task.get();
            ended.add(() -> then.accept(result));
          } catch (BackendException e) {
            refused.accept(e);
          } catch (Throwable e) { // whatever it is, somebody waits for the end
            refused.accept(new BackendException(0, String.valueOf(e), e));
          }
          doorbell.ring();
        },
        refused);
  }

  /**
   * Begins one of which others hear by a stage: whoever waits for it need not turn the NIC.
   *
   * @param task on a thread of its own, on which the stage ends, too
   */
  <T> CompletionStage<T> begin(Supplier<T> task) {
    CompletableFuture<T> stage = new CompletableFuture<>();
    start(
        () -> {
          try {
            stage.complete(task.get());
          } catch (BackendException e) {
            stage.completeExceptionally(e);
          } catch (Throwable e) { // as above
            stage.completeExceptionally(new BackendException(0, String.valueOf(e), e));
          }
        },
        stage::completeExceptionally);
    return stage;
  }

  /**
   * Not of a pool, whose lock the NIC's thread would have to wait for.
   *
   * @param refused told where the system has no thread for it
   */
  private void start(Runnable task, Consumer<BackendException> refused) {
    if (closed) {
      return; // what is left is ended by whoever closes
    }
    Thread thread =
        Thread.ofPlatform()
            .daemon()
            .name("transfer-ibverbs-task")
            .unstarted(() -> {
              try {
                task.run();
              } finally {
                running.remove(Thread.currentThread());
              }
            });
    running.add(thread);
    try {
      thread.start();
    } catch (OutOfMemoryError e) { // so it says that there are as many threads as there may be
      running.remove(thread);
      refused.accept(new BackendException(0, "no thread to make a call that may block: " + e, e));
    }
  }

  /** Whether something has ended. */
  boolean haveEnded() {
    return !ended.isEmpty();
  }

  /** Takes in what has ended by now; on the NIC's thread. */
  int takeIn() {
    int taken = 0;
    for (int left = ended.size(); left > 0; left--) {
      Runnable end = ended.poll();
      if (end == null) {
        break;
      }
      end.run();
      taken++;
    }
    return taken;
  }

  /** Waits for those that run; what they gave is taken in. None is begun any more. */
  void close() {
    closed = true;
    boolean isInterrupted = false;
    for (Thread thread : running) {
      while (thread.isAlive()) {
        try {
          thread.join();
        } catch (InterruptedException e) {
          isInterrupted = true;
        }
      }
    }
    if (isInterrupted) {
      Thread.currentThread().interrupt();
    }
    takeIn();
  }
}
