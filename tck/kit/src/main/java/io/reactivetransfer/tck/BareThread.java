package io.reactivetransfer.tck;

import io.reactivetransfer.spi.Backend;
import io.reactivetransfer.spi.WorkerLoop;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The thread that a backend wants for its NICs and its control channel: that of its loop, or one of
 * the kit's. A test does something on it, and waits until that is done.
 */
final class BareThread {

  private static final Duration LONGEST_CONNECT = Duration.ofSeconds(10);

  private final String what;
  private final Duration timeout;
  private final @Nullable WorkerLoop loop;
  private final @Nullable ExecutorService own;
  private final Executor thread;
  private final AtomicBoolean rung = new AtomicBoolean();

  /**
   * Begins with it.
   *
   * @param what runs on it, for the text of an error
   * @param timeout how long something on it may take
   */
  BareThread(Backend backend, String what, Duration timeout) {
    this.what = what;
    this.timeout = timeout;
    WorkerLoop given = backend.newLoop();
    this.loop = given;
    if (given == null) {
      ExecutorService single = Executors.newSingleThreadExecutor(task -> new Thread(task, what));
      this.own = single;
      this.thread = single;
    } else {
      this.own = null;
      this.thread = given::execute;
    }
  }

  /** What cannot be connected is told before the test gives up, and soon enough for several. */
  static Duration connectTimeout(Duration timeout) {
    Duration half = timeout.dividedBy(2);
    return half.compareTo(LONGEST_CONNECT) < 0 ? half : LONGEST_CONNECT;
  }

  /** The backend's, or null if it has none. */
  @Nullable WorkerLoop loop() {
    return loop;
  }

  /** The doorbell of what runs on it. */
  void ring() {
    rung.set(true);
  }

  /** Whether the doorbell has rung since this was last asked. */
  boolean wasRung() {
    return rung.getAndSet(false); // not by two steps, or one that comes between them is lost
  }

  /** Does something on it, and waits for what that gives. */
  <T> T call(Supplier<T> task) {
    return await(on(task));
  }

  /** Begins something on it, and waits until it is done. */
  <T> T complete(Supplier<? extends CompletionStage<T>> begin) {
    return await(on(begin).thenCompose(begun -> begun));
  }

  /** Opens what runs on it; ends it if that fails, since then there is nobody to close. */
  <T> T orEnd(Supplier<T> opening) {
    try {
      return opening.get();
    } catch (RuntimeException | Error e) {
      Ending ending = new Ending(e);
      ending.step(this::end);
      throw e;
    }
  }

  private <T> CompletableFuture<T> on(Supplier<T> task) {
    return CompletableFuture.supplyAsync(task, thread);
  }

  private <T> T await(CompletionStage<T> stage) {
    try {
      return stage.toCompletableFuture().get(timeout.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException e) {
      throw new AssertionError("the " + what + " failed: " + e.getCause(), e.getCause());
    } catch (TimeoutException e) {
      throw new AssertionError(
          "the thread of the " + what + " did not answer within " + timeout, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted", e);
    }
  }

  /** Ends it, once nothing runs on it any more. */
  void end() {
    if (own != null) {
      own.shutdown();
    } else if (loop != null) {
      complete(loop::close);
    }
  }
}
