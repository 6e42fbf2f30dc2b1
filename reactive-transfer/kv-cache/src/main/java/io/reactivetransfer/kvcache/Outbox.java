package io.reactivetransfer.kvcache;

import io.reactivetransfer.EngineId;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.LongSupplier;

/**
 * Requests on their way out. Each gets its number when it leaves; so the numbers that a prefill
 * node reads go up, and it knows of each whether it has read it, though cancels overtake. Those
 * that a node has no credit for wait here: they must not fill what the engine keeps for it, or
 * there would be no room for cancels. So do those for which it may have no room: of one decode node
 * and one model it keeps {@linkplain WaitingRoom#MAX_OF_ONE so many} that wait, and refuses more.
 */
final class Outbox {

  /** Requests to one node that the engine has and could not send yet. */
  private static final int AT_ONCE = 64;

  /** Bytes of them; but one may always go. A quarter of what an engine keeps for one peer. */
  private static final long BYTES_AT_ONCE = 16L << 20;

  private final Turns turns = new Turns();
  private final LongSupplier numbers;
  private final int atOnce;

  /** Used by one turn at a time, like all in it. */
  private final Map<EngineId, Way> ways = new HashMap<>();

  /** What goes to one node. */
  private static final class Way {
    final Load out = new Load();
    final LinkedHashMap<String, Line> lines = new LinkedHashMap<>();

    boolean isIdle() {
      return out.requests == 0 && lines.isEmpty();
    }
  }

  /** Of one model: what waits for another one must not be waited for. */
  private static final class Line {
    final Set<Leg> waiting = new LinkedHashSet<>();

    /** Requests of which nothing was heard since they were given to the engine. */
    final Load unheard = new Load();

    boolean isIdle() {
      return unheard.requests == 0 && waiting.isEmpty();
    }
  }

  private static final class Load {
    int requests;
    long bytes;

    /** One alone always does. */
    boolean fits(Leg leg, int maxRequests, long maxBytes) {
      if (requests == 0) {
        return true;
      }
      long left = maxBytes - bytes;
      return requests < maxRequests && (leg.longest() <= left || leg.length() <= left);
    }

    void add(int length) {
      requests++;
      bytes += length;
    }

    void remove(int length) {
      requests--;
      bytes -= length;
    }
  }

  /**
   * For one engine.
   *
   * @param numbers gives requests theirs, which rise
   * @param maxWaitingMessages how many messages to one peer the engine keeps
   */
  Outbox(LongSupplier numbers, int maxWaitingMessages) {
    this.numbers = numbers;
    this.atOnce = Math.max(1, Math.min(AT_ONCE, maxWaitingMessages / 2));
  }

  /** Has its request sent when it is its turn. */
  void add(Leg leg) {
    turns.run(() -> {
      Way way = ways.computeIfAbsent(leg.prefill().id(), id -> new Way());
      way.lines.computeIfAbsent(leg.model(), model -> new Line()).waiting.add(leg);
      send(leg.prefill().id(), way);
    });
  }

  /** It is not to be sent any more; no effect if it was. */
  void remove(Leg leg) {
    turns.run(() -> {
      Way way = ways.get(leg.prefill().id());
      Line line = way == null ? null : way.lines.get(leg.model());
      if (way != null && line != null && line.waiting.remove(leg)) {
        send(leg.prefill().id(), way);
      }
    });
  }

  /** A request of so many bytes has left the engine, or will not. */
  void left(Leg leg, int bytes) {
    turns.run(() -> {
      Way way = ways.get(leg.prefill().id());
      if (way != null) {
        way.out.remove(bytes);
        send(leg.prefill().id(), way);
      }
    });
  }

  /** A request of so many bytes does not wait at the node any more. */
  void heard(Leg leg, int bytes) {
    turns.run(() -> {
      Way way = ways.get(leg.prefill().id());
      Line line = way == null ? null : way.lines.get(leg.model());
      if (way != null && line != null) {
        line.unheard.remove(bytes);
        send(leg.prefill().id(), way);
      }
    });
  }

  /** How many nodes something is known of. Only for tests. */
  int nodes() {
    return ways.size();
  }

  private enum Next {
    SENT,
    /** Nothing of this model: there is none, or the node may have no room for more of it. */
    NONE,
    /** Nothing at all: the node takes none at the moment. What is short must not overtake. */
    FULL
  }

  /** One of each model in turn, as long as there is room; forgets what has nothing to do. */
  private void send(EngineId prefill, Way way) {
    boolean sends = true;
    while (sends) {
      sends = false;
      for (String model : List.copyOf(way.lines.keySet())) {
        Line line = Objects.requireNonNull(way.lines.get(model));
        Next next = sendNext(way, line);
        if (next == Next.FULL) {
          return;
        }
        if (next == Next.SENT) {
          way.lines.putLast(model, line);
          sends = true;
        }
      }
    }
    way.lines.values().removeIf(Line::isIdle);
    if (way.isIdle()) {
      ways.remove(prefill);
    }
  }

  private Next sendNext(Way way, Line line) {
    Iterator<Leg> waiting = line.waiting.iterator();
    if (!waiting.hasNext()) {
      return Next.NONE;
    }
    Leg leg = waiting.next();
    if (!line.unheard.fits(leg, WaitingRoom.MAX_OF_ONE, WaitingRoom.BYTES_OF_ONE)) {
      return Next.NONE;
    }
    if (!way.out.fits(leg, atOnce, BYTES_AT_ONCE)) {
      return Next.FULL;
    }
    waiting.remove();
    int length = leg.send(numbers.getAsLong());
    if (length > 0) {
      way.out.add(length);
      line.unheard.add(length);
    }
    return Next.SENT;
  }
}
