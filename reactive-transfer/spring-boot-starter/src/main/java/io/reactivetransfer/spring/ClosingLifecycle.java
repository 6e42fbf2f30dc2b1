package io.reactivetransfer.spring;

import org.springframework.context.SmartLifecycle;
import reactor.core.publisher.Mono;

/**
 * What is open before its context starts, and is ended when the context stops, in its phase. A
 * context that is only paused goes on with the same.
 */
abstract class ClosingLifecycle implements SmartLifecycle {

  private volatile boolean running;

  /** Ends it; its error ends nothing else. */
  abstract Mono<Void> end();

  @Override
  public void start() {
    running = true;
  }

  @Override
  public final void stop() {
    stop(() -> {});
  }

  @Override
  public final void stop(Runnable callback) {
    running = false;
    var _ = end().onErrorComplete().doFinally(_ -> callback.run()).subscribe();
  }

  @Override
  public final boolean isRunning() {
    return running;
  }

  @Override
  public final boolean isPauseable() {
    return false;
  }
}
