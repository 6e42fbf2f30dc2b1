package io.reactivetransfer.tcp;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.spi.CompletionSink;
import java.util.ArrayList;
import java.util.List;

/**
 * The engines that bytes came from since the last poll, each once. What the system sends for one
 * that is dead or stopped is little, and soon over.
 */
final class Heard {

  private final List<EngineId> engines = new ArrayList<>();

  void add(EngineId engine) {
    if (!engines.contains(engine)) {
      engines.add(engine);
    }
  }

  void forget(EngineId engine) {
    engines.remove(engine);
  }

  /** Tells the sink, and begins anew. */
  void report(CompletionSink sink) {
    for (int i = 0; i < engines.size(); i++) {
      sink.alive(engines.get(i));
    }
    engines.clear();
  }
}
