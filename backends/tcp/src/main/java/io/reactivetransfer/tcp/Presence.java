package io.reactivetransfer.tcp;

import io.reactivetransfer.EngineId;
import java.util.HashMap;
import java.util.Map;

/**
 * Which engines this NIC has connections with, and whose loss was told. When a process ends, all
 * its connections do, in both directions; that is one loss.
 */
final class Presence {

  /** An engine with which there are connections. */
  static final class Known {
    private int connections;
    private boolean told;

    /**
     * Something was handed over to a connection with it. If that is after the loss was told, then
     * what was handed over may be lost too, and that is another loss: who sends counts on being
     * told.
     */
    void used() {
      told = false;
    }
  }

  private final Map<EngineId, Known> byEngine = new HashMap<>();

  Known began(EngineId engine) {
    Known known = byEngine.computeIfAbsent(engine, _ -> new Known());
    known.connections++;
    known.told = false;
    return known;
  }

  /** How many engines there are. */
  int size() {
    return byEngine.size();
  }

  /** Whether the end of this connection is the news that the engine was lost. */
  boolean ended(EngineId engine) {
    Known known = byEngine.get(engine);
    if (known == null) {
      return true;
    }
    if (--known.connections == 0) {
      byEngine.remove(engine);
    }
    boolean news = !known.told;
    known.told = true;
    return news;
  }
}
