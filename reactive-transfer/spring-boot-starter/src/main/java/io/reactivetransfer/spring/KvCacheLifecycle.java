package io.reactivetransfer.spring;

import io.reactivetransfer.kvcache.KvCache;
import java.util.ArrayList;
import java.util.List;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import reactor.core.publisher.Mono;

/**
 * Ends the KV caches that are beans, whoever defines them, before engines close: what they have
 * begun ends, and what has only come is refused, so that others are asked. Held to the time of its
 * phase, like all that stops: then engines close, and what still runs fails.
 */
final class KvCacheLifecycle extends ClosingLifecycle {

  /** Just before engines: higher stop first. */
  static final int PHASE = Engines.PHASE + 1;

  private final ConfigurableListableBeanFactory beans;

  KvCacheLifecycle(ConfigurableListableBeanFactory beans) {
    this.beans = beans;
  }

  /** Those that were made: one that is lazy is not made to be ended. */
  @Override
  Mono<Void> end() {
    List<Mono<Void>> closed = new ArrayList<>();
    for (String name : beans.getBeanNamesForType(KvCache.class, false, false)) {
      if (beans.getSingleton(name) instanceof KvCache made) {
        made.dispose();
        closed.add(made.closed().onErrorComplete());
      }
    }
    return Mono.when(closed);
  }

  @Override
  public int getPhase() {
    return PHASE;
  }
}
