package io.reactivetransfer.kvcache;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.Peer;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * How many orders of a router each prefill node has, and whether it lately failed. A node that
 * fails at once would else have the fewest orders always, and be asked for each of them.
 */
final class RouterLoads {

  private static final long FIRST_REST_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
  private static final long REMEMBERED_NANOS = TimeUnit.MINUTES.toNanos(1);
  private static final int MOST_DOUBLINGS = 6;

  private final KvTimers timers;
  private final Map<EngineId, Load> loads = new HashMap<>();

  /** Counts the orders of all nodes. */
  private long turns;

  RouterLoads(KvTimers timers) {
    this.timers = timers;
  }

  /** One node; guarded by the loads that it is of. */
  private static final class Load {
    final Peer peer;
    int running;
    long lastTurn;
    int failures;
    long lastFailureTurn;
    long restsUntil;

    Load(Peer peer) {
      this.peer = peer;
    }

    /** One that failed may be away for a moment only, and is not to come back as if it had not. */
    boolean isForgotten(long now) {
      return running == 0 && (failures == 0 || now - restsUntil > REMEMBERED_NANOS);
    }

    boolean rests(long now) {
      return failures > 0 && now - restsUntil < 0;
    }
  }

  /** An order that a node has, until it ends in one of three ways. */
  final class Attempt {
    private final Load load;
    private final long turn;
    private boolean over;

    private Attempt(Load load, long turn) {
      this.load = load;
      this.turn = turn;
    }

    Peer peer() {
      return load.peer;
    }

    /** All has arrived. */
    void arrived() {
      synchronized (RouterLoads.this) {
        load.failures = 0;
        ended();
      }
    }

    /**
     * The node has not done what it was asked, and is asked last for a while. Orders that it had at
     * the same time fail for the same reason, which counts once.
     */
    void failed() {
      synchronized (RouterLoads.this) {
        if (!over && turn > load.lastFailureTurn) {
          load.lastFailureTurn = turns;
          load.restsUntil =
              timers.nanos() + (FIRST_REST_NANOS << Math.min(load.failures, MOST_DOUBLINGS));
          load.failures++;
        }
        ended();
      }
    }

    /** For whatever reason; a cancel, for instance. Again: no effect. */
    void ended() {
      synchronized (RouterLoads.this) {
        if (!over) {
          over = true;
          load.running--;
        }
      }
    }
  }

  /** Of the one to ask, of some. */
  synchronized Attempt begin(List<Peer> candidates) {
    long now = timers.nanos();
    Load chosen =
        candidates.stream()
            .map(peer -> loads.computeIfAbsent(peer.id(), id -> new Load(peer)))
            .min(
                Comparator.comparing((Load load) -> load.rests(now))
                    .thenComparingInt(load -> load.running)
                    .thenComparingLong(load -> load.lastTurn))
            .orElseThrow();
    chosen.running++;
    chosen.lastTurn = ++turns;
    return new Attempt(chosen, turns);
  }

  /** Forgets nodes that are not there any more, but for those that have orders. */
  synchronized void keepOnly(Collection<Peer> known) {
    Set<EngineId> ids = known.stream().map(Peer::id).collect(Collectors.toSet());
    long now = timers.nanos();
    loads
        .entrySet()
        .removeIf(each -> each.getValue().isForgotten(now) && !ids.contains(each.getKey()));
  }

  /** How many nodes it remembers. */
  synchronized int size() {
    return loads.size();
  }
}
