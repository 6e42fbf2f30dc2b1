package io.reactivetransfer.weights.internal;

import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * What is opened for one subscriber: from when it is there until it is emitted, a cancel closes it,
 * since nobody else could. Safe from any thread.
 *
 * @param <T> what is opened
 */
public final class Opening<T> {

  private final Function<? super T, Mono<Void>> close;
  private final AtomicReference<@Nullable T> made = new AtomicReference<>();
  private volatile boolean isCancelled;

  /**
   * Begins.
   *
   * @param close how what is opened is closed again
   */
  public Opening(Function<? super T, Mono<Void>> close) {
    this.close = close;
  }

  /**
   * It is there.
   *
   * @return false if a cancel was before, which closes it
   */
  public boolean made(T what) {
    made.set(what);
    if (isCancelled) {
      cancel();
      return false;
    }
    return true;
  }

  /** It is its subscriber's from here on. */
  public void emitted() {
    made.set(null);
  }

  /** Nobody waits for it any more. */
  public void cancel() {
    isCancelled = true;
    T what = made.getAndSet(null);
    if (what != null) {
      Listener.ofEnd(close.apply(what), () -> {}, failure -> {});
    }
  }
}
