package io.reactivetransfer.spring;

import io.reactivetransfer.kvcache.KvCache;
import org.jspecify.annotations.Nullable;
import org.springframework.context.SmartLifecycle;

/**
 * Ends the KV cache of the application before engines close: what it has begun ends, and what has
 * only come is refused, so that others are asked. Held to the time of its phase, like all that
 * stops: then engines close, and what still runs fails.
 */
final class KvCacheLifecycle implements SmartLifecycle {

  /** Just before engines: higher stop first. */
  static final int PHASE = Engines.PHASE + 1;

  private volatile @Nullable KvCache cache;
  private volatile boolean running;

  /** Of this one, which was opened because somebody is given it. */
  KvCache of(KvCache opened) {
    cache = opened;
    return opened;
  }

  @Override
  public void start() {
    running = true;
  }

  @Override
  public void stop() {
    stop(() -> {});
  }

  @Override
  public void stop(Runnable callback) {
    running = false;
    KvCache its = cache;
    if (its == null) {
      callback.run();
      return;
    }
    its.dispose();
    var _ = its.closed().doFinally(_ -> callback.run()).onErrorComplete().subscribe();
  }

  @Override
  public boolean isRunning() {
    return running;
  }

  /** A context that is only paused goes on with the same cache. */
  @Override
  public boolean isPauseable() {
    return false;
  }

  @Override
  public int getPhase() {
    return PHASE;
  }
}
