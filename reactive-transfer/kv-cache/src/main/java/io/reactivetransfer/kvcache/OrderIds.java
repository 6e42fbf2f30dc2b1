package io.reactivetransfer.kvcache;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.TransferEngine;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Numbers of orders. Others know them by the engine that sent them and this number; so the numbers
 * of an engine go on where a {@link KvCache} that was closed has left off, and never repeat. They
 * begin at 1, since people read them. Those of questions are below 0. What is known of the numbers
 * of others goes on, too: what one has vouched for, the next one that reads the messages keeps.
 *
 * <p>An engine is known by the object that is its id, not by an equal one: a simulated engine of
 * the same seed has an equal id, and its numbers have to begin at 1 again.
 */
final class OrderIds {

  /** A process has few engines, so a look at each is cheap. */
  private static final List<OrderIds> OF_ENGINES = new ArrayList<>();

  private final WeakReference<EngineId> engine;
  private final AtomicLong last = new AtomicLong();
  private final AtomicLong questions = new AtomicLong();
  private final KnownNumbers ofOthers = new KnownNumbers(KnownNumbers.Bounds.DEFAULT);

  private OrderIds(EngineId engine) {
    this.engine = new WeakReference<>(engine);
  }

  /** The next one. */
  long next() {
    return last.incrementAndGet();
  }

  /** The next one of a question, so that it is no order's. */
  long nextQuestion() {
    return questions.decrementAndGet();
  }

  /** What is known of the numbers of requests that have come to this engine. */
  KnownNumbers ofOthers() {
    return ofOthers;
  }

  /** The numbers of this engine; keep them for as long as it is used. */
  static OrderIds of(TransferEngine engine) {
    EngineId id = engine.id();
    synchronized (OF_ENGINES) {
      OF_ENGINES.removeIf(known -> known.engine.refersTo(null));
      for (OrderIds known : OF_ENGINES) {
        if (known.engine.refersTo(id)) {
          return known;
        }
      }
      OrderIds first = new OrderIds(id);
      OF_ENGINES.add(first);
      return first;
    }
  }
}
