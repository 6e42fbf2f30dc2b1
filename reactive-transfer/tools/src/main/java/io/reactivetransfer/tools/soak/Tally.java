package io.reactivetransfer.tools.soak;

import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/** What one side has done so far, by name. */
final class Tally {

  static final String ROUNDS = "rounds";
  static final String TRANSFERS = "transfers";
  static final String BYTES = "bytes";
  static final String MESSAGES = "messages";
  static final String BARRIERS = "barriers";
  static final String ENGINES = "engines";

  private final ConcurrentHashMap<String, LongAdder> counts = new ConcurrentHashMap<>();

  void add(String name, long count) {
    counts.computeIfAbsent(name, any -> new LongAdder()).add(count);
  }

  Map<String, Long> figures() {
    Map<String, Long> figures = new TreeMap<>();
    counts.forEach((name, count) -> figures.put(name, count.sum()));
    return figures;
  }
}
