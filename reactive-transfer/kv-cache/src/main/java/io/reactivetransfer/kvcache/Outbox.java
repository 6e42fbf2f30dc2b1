package io.reactivetransfer.kvcache;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.Peer;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

/**
 * Requests on their way out. They get their numbers one at a time and leave for each prefill node
 * in that order; so the numbers that it reads go up, and it knows of each whether it has read it,
 * though cancels overtake. Those that a node has no credit for wait here: they must not fill what
 * the engine keeps for it, or there would be no room for cancels. So do those for which it may have
 * no room: it refuses more of one decode node than its share of those that wait there.
 */
final class Outbox {

  /** Requests to one node that the engine has and could not send yet. */
  private static final int AT_ONCE = 64;

  private final Turns turns = new Turns();
  private final int atOnce;

  /** Used by one turn at a time, like all in it. */
  private final Map<EngineId, Way> ways = new HashMap<>();

  private static final class Way {
    final Set<Leg> waiting = new LinkedHashSet<>();

    /** Requests that the engine has and could not send yet. */
    int out;

    /** Requests of which nothing was heard since they were given to the engine. */
    int unheard;

    boolean isIdle() {
      return out == 0 && unheard == 0 && waiting.isEmpty();
    }
  }

  /** For an engine that keeps so many messages to one peer. */
  Outbox(int maxWaitingMessages) {
    this.atOnce = Math.max(1, Math.min(AT_ONCE, maxWaitingMessages / 2));
  }

  /** Runs it when nobody else takes a number. */
  void inTurn(Runnable order) {
    turns.run(order);
  }

  /** Has its request sent when it is its turn. Only in a turn. */
  void add(Leg leg) {
    Way way = ways.computeIfAbsent(leg.prefill().id(), id -> new Way());
    way.waiting.add(leg);
    send(way);
  }

  /** It is not to be sent any more; no effect if it was. */
  void remove(Leg leg) {
    turns.run(() -> {
      Way way = ways.get(leg.prefill().id());
      if (way != null) {
        way.waiting.remove(leg);
      }
    });
  }

  /** A request has left the engine, or will not. */
  void left(Peer prefill) {
    turns.run(() -> {
      Way way = ways.get(prefill.id());
      if (way != null) {
        way.out--;
        goOn(prefill, way);
      }
    });
  }

  /** A request that was sent does not wait at the node any more. */
  void heard(Peer prefill) {
    turns.run(() -> {
      Way way = ways.get(prefill.id());
      if (way != null) {
        way.unheard--;
        goOn(prefill, way);
      }
    });
  }

  private void goOn(Peer prefill, Way way) {
    send(way);
    if (way.isIdle()) {
      ways.remove(prefill.id());
    }
  }

  private void send(Way way) {
    Iterator<Leg> next = way.waiting.iterator();
    while (way.out < atOnce && way.unheard < WaitingRoom.MAX_OF_ONE && next.hasNext()) {
      Leg leg = next.next();
      next.remove();
      if (leg.send()) {
        way.out++;
        way.unheard++;
      }
    }
  }
}
