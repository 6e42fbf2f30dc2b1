package io.reactivetransfer.examples.observe;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.HostPort;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** What engines are called, instead of numbers that nobody can remember. */
final class Names {

  private final Map<String, String> byId = new ConcurrentHashMap<>();
  private final Map<String, String> byAddress = new ConcurrentHashMap<>();

  /** From now on this engine is called so. */
  void put(EngineId engine, HostPort control, String name) {
    byId.put(engine.toShortString(), name);
    byAddress.put(control.toString(), name);
  }

  /** The name of the engine that is reached there, or the address itself. */
  String of(HostPort control) {
    return byAddress.getOrDefault(control.toString(), control.toString());
  }

  /** A text with names in place of the short ids and addresses that it has. */
  String in(String text) {
    String named = text;
    for (Map.Entry<String, String> each : byAddress.entrySet()) {
      named = named.replace(each.getKey(), each.getValue());
    }
    for (Map.Entry<String, String> each : byId.entrySet()) {
      String name = each.getValue();
      named = named.replace("tcp:" + each.getKey() + "@" + name, name);
      named = named.replace(each.getKey() + " at " + name, name).replace(each.getKey(), name);
    }
    return named;
  }
}
