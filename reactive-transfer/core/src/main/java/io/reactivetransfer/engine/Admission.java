package io.reactivetransfer.engine;

import io.reactivetransfer.TransferRejectedException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Bounds how many subscriptions an engine serves at once: that bounds its command queue and
 * everything that waits. From any thread.
 */
final class Admission {

  private final AtomicInteger inside = new AtomicInteger();
  private final int limit;
  private volatile boolean closed;

  Admission(int limit) {
    this.limit = limit;
  }

  /** Enters, or says why not. Who has entered leaves once. */
  @Nullable TransferRejectedException tryEnter() {
    if (closed) {
      return closedError();
    }
    if (inside.incrementAndGet() > limit) {
      inside.decrementAndGet();
      return new TransferRejectedException(
          "expected at most "
              + limit
              + " subscriptions at once (maxSubmissions of the EngineOptions), got one more");
    }
    return null;
  }

  void leave() {
    inside.decrementAndGet();
  }

  int inside() {
    return inside.get();
  }

  void close() {
    closed = true;
  }

  static TransferRejectedException closedError() {
    return new TransferRejectedException("the engine is closed");
  }
}
