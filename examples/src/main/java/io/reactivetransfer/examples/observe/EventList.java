package io.reactivetransfer.examples.observe;

import java.io.PrintWriter;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Prints events below the table: of those that are many, the first ones and the last. */
final class EventList {

  private static final int FIRST = 2;

  private final Instant begin;
  private final PrintWriter out;

  /**
   * A list.
   *
   * @param begin when the table has begun
   */
  EventList(Instant begin, PrintWriter out) {
    this.begin = begin;
    this.out = out;
  }

  /** Prints them, or that there are none. */
  void print(List<EngineEvent> events) {
    Map<String, List<EngineEvent>> kinds = new HashMap<>();
    events.forEach(each ->
        kinds.computeIfAbsent(each.name() + " " + each.engine(), _ -> new ArrayList<>()).add(each));
    List<EngineEvent> printed = new ArrayList<>();
    kinds.values().forEach(kind -> printed.addAll(someOf(kind)));
    printed.sort(Comparator.comparing(EngineEvent::at));
    printed.forEach(this::line);
    if (events.isEmpty()) {
      out.println("none");
    }
    out.flush();
  }

  private static List<EngineEvent> someOf(List<EngineEvent> kind) {
    int more = kind.size() - FIRST;
    if (more <= 1) {
      return kind;
    }
    List<EngineEvent> some = new ArrayList<>(kind.subList(0, FIRST));
    EngineEvent last = kind.getLast();
    String note = String.format(Locale.ROOT, "(the last of %,d more) ", more);
    some.add(new EngineEvent(last.at(), last.name(), last.engine(), note + last.fields()));
    return some;
  }

  private void line(EngineEvent event) {
    out.printf(
        Locale.ROOT,
        "%6.1f  %s %s %s%n",
        Duration.between(begin, event.at()).toMillis() / 1e3,
        event.name(),
        event.engine(),
        event.fields());
  }
}
