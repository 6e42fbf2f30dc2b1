package io.reactivetransfer.tcp;

import io.reactivetransfer.EngineId;
import java.util.HashMap;
import java.util.Map;

/**
 * Which engines this NIC has connections with, and whose loss was told. When a process ends, all
 * its connections do, in both directions; that is one loss.
 */
final class Presence {

  private static final class Entry {
    int connections;
    boolean told;
  }

  private final Map<EngineId, Entry> byEngine = new HashMap<>();

  void began(EngineId engine) {
    Entry entry = byEngine.computeIfAbsent(engine, _ -> new Entry());
    entry.connections++;
    entry.told = false;
  }

  /** Whether the end of this connection is the news that the engine was lost. */
  boolean ended(EngineId engine) {
    Entry entry = byEngine.get(engine);
    if (entry == null) {
      return true;
    }
    if (--entry.connections == 0) {
      byEngine.remove(engine);
    }
    boolean news = !entry.told;
    entry.told = true;
    return news;
  }
}
