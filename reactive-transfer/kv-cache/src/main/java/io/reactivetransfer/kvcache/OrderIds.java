package io.reactivetransfer.kvcache;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.TransferEngine;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Numbers of orders and questions. Others know them by the engine that sent them and this number;
 * so the numbers of an engine go on where a {@link KvCache} that was closed has left off, and never
 * repeat. They begin at 1, since people read them.
 */
final class OrderIds {

  private static final Map<EngineId, AtomicLong> OF_ENGINES = new WeakHashMap<>();

  private OrderIds() {}

  /** The numbers of this engine; keep them for as long as it is used. */
  static AtomicLong of(TransferEngine engine) {
    synchronized (OF_ENGINES) {
      return OF_ENGINES.computeIfAbsent(engine.id(), id -> new AtomicLong());
    }
  }
}
