package io.reactivetransfer.spring;

import io.reactivetransfer.kvcache.KvCache;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * Ends the KV cache of the application before engines close: what it has begun ends, and what has
 * only come is refused, so that others are asked. Held to the time of its phase, like all that
 * stops: then engines close, and what still runs fails.
 */
final class KvCacheLifecycle extends ClosingLifecycle {

  /** Just before engines: higher stop first. */
  static final int PHASE = Engines.PHASE + 1;

  private volatile @Nullable KvCache cache;

  /** Of this one, which was opened because somebody is given it. */
  KvCache of(KvCache opened) {
    cache = opened;
    return opened;
  }

  @Override
  Mono<Void> end() {
    KvCache its = cache;
    if (its == null) {
      return Mono.empty();
    }
    its.dispose();
    return its.closed();
  }

  @Override
  public int getPhase() {
    return PHASE;
  }
}
