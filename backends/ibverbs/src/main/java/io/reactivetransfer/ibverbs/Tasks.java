package io.reactivetransfer.ibverbs;

import io.reactivetransfer.spi.BackendException;
import io.reactivetransfer.spi.Doorbell;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Calls that may block, such as those that pin memory or look for the way to a peer: made by threads
 * of their own. The NIC's thread takes in what became of them.
 */
final class Tasks {

  private final ExecutorService threads =
      Executors.newCachedThreadPool(
          Thread.ofPlatform().daemon().name("transfer-ibverbs-", 0).factory());
  private final Queue<Runnable> ended = new ConcurrentLinkedQueue<>();
  private final Doorbell doorbell;

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
    threads.execute(() -> {
      try {
        T result = task.get();
        ended.add(() -> then.accept(result));
      } catch (BackendException e) {
        ended.add(() -> otherwise.accept(e));
      } catch (RuntimeException e) {
        ended.add(() -> otherwise.accept(new BackendException(0, String.valueOf(e), e)));
      }
      doorbell.ring();
    });
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

  /** Begins no more, and waits for those that run; what they gave is taken in. */
  void close() {
    threads.shutdown();
    boolean interrupted = false;
    while (!threads.isTerminated()) {
      try {
        threads.awaitTermination(1, TimeUnit.MINUTES);
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    takeIn();
  }
}
