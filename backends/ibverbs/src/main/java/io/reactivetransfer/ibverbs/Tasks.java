package io.reactivetransfer.ibverbs;

import io.reactivetransfer.spi.BackendException;
import io.reactivetransfer.spi.Doorbell;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ThreadFactory;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Calls that may block, such as those that pin memory or look for the way to a peer: made by
 * threads of their own. The NIC's thread takes in what became of them. Where the system has no
 * thread for one it fails, or waits for a thread if it must not.
 */
final class Tasks {

  private static final long RETRY_NANOS = 100_000_000;

  private final Set<Thread> running = ConcurrentHashMap.newKeySet();
  private final Queue<Runnable> ended = new ConcurrentLinkedQueue<>();

  /** Those that must not fail, and have no thread yet. */
  private final Queue<Runnable> waiting = new ArrayDeque<>();

  private final Doorbell doorbell;
  private final ThreadFactory threads;
  private long againNanos;
  private boolean closed;

  Tasks(Doorbell doorbell) {
    this(doorbell, Thread.ofPlatform().daemon().name("transfer-ibverbs-task").factory());
  }

  /** With threads of others. */
  Tasks(Doorbell doorbell, ThreadFactory threads) {
    this.doorbell = doorbell;
    this.threads = threads;
  }

  /**
   * Begins one.
   *
   * @param task on a thread of its own
   * @param then with what it gave, on the NIC's thread
   * @param otherwise with what it threw, on the NIC's thread
   */
  <T> void run(Supplier<T> task, Consumer<T> then, Consumer<BackendException> otherwise) {
    Consumer<Throwable> refused =
        thrown -> {
          BackendException refusal = asRefusal(thrown);
          ended.add(() -> otherwise.accept(refusal));
        };
    start(
        () -> {
          try {
            T result = task.get();
            ended.add(() -> then.accept(result));
          } catch (Throwable e) { // whatever it is, somebody waits for the end
            refused.accept(e);
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
    start(completing(stage, task), thrown -> stage.completeExceptionally(asRefusal(thrown)));
    return stage;
  }

  /** The same, of one that must not fail for want of a thread: it waits for one. */
  <T> CompletionStage<T> beginSurely(Supplier<T> task) {
    CompletableFuture<T> stage = new CompletableFuture<>();
    Runnable work = completing(stage, task);
    start(
        work,
        thrown -> {
          waiting.add(work);
          againNanos = System.nanoTime() + RETRY_NANOS;
        });
    return stage;
  }

  private static <T> Runnable completing(CompletableFuture<T> stage, Supplier<T> task) {
    return () -> {
      try {
        stage.complete(task.get());
      } catch (Throwable e) { // as above
        stage.completeExceptionally(asRefusal(e));
      }
    };
  }

  /** Whether a task was refused because there was no thread for it. */
  static boolean lacksThread(BackendException refusal) {
    return refusal.getCause() instanceof OutOfMemoryError;
  }

  private static BackendException asRefusal(Throwable thrown) {
    return thrown instanceof BackendException refusal
        ? refusal
        : new BackendException(0, String.valueOf(thrown), thrown);
  }

  /**
   * Not of a pool, whose lock the NIC's thread would have to wait for.
   *
   * @param refused told where the system has no thread for it
   */
  private void start(Runnable task, Consumer<Throwable> refused) {
    if (closed) {
      return; // what is left is ended by whoever closes
    }
    Thread thread =
        threads.newThread(() -> {
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

  /** Whether there is something for the NIC's thread to do. */
  boolean areDue(long now) {
    return !ended.isEmpty() || (!waiting.isEmpty() && now - againNanos >= 0);
  }

  /** Takes in what has ended by now, and tries to begin what waits; on the NIC's thread. */
  int takeIn(long now) {
    if (now - againNanos >= 0) {
      for (int left = waiting.size(); left > 0; left--) {
        Runnable task = waiting.remove();
        start(
            task,
            thrown -> {
              waiting.add(task);
              againNanos = now + RETRY_NANOS;
            });
      }
    }
    return takeIn();
  }

  private int takeIn() {
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
    for (Runnable next = waiting.poll(); next != null; next = waiting.poll()) {
      next.run(); // short ones, and there is still no thread for them but this one
    }
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
