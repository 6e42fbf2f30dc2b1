package io.reactivetransfer.libfabric;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.spi.RemotePeer;
import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A NIC of another engine, from when the engine of this one resolves it until it is released. Who
 * it is has been proved to the control channel, which carries what the two say to each other.
 */
final class FabricPeer implements RemotePeer {

  /**
   * A write that has failed at the provider, which does not say why.
   *
   * @param failure to be reported
   * @param ask number of the question whose answer may tell that the peer is lost, or 0
   */
  record Doubt(Failure failure, long ask) {}

  private final EngineId engine;
  private int session;

  /** Routes to its memory of which it was not asked since they were resolved. */
  private final Set<Route> resolved = new LinkedHashSet<>();

  /** What it was asked and has not answered, by the number of the ask, oldest first. */
  private final Map<Long, Route> asks = new LinkedHashMap<>();

  private long answered;
  private long answeredNanos;
  private final Queue<Doubt> doubts = new ArrayDeque<>();
  private @Nullable Failure loss;

  FabricPeer(EngineId engine) {
    this.engine = engine;
  }

  EngineId engine() {
    return engine;
  }

  /** Changes whenever all that was agreed with it is void. */
  int session() {
    return session;
  }

  /** There is a route to its memory; it is asked of it with the next that is written to. */
  void resolved(Route route) {
    resolved.add(route);
  }

  /** One that was resolved and is not asked for, which is the caller's to do now; or null. */
  @Nullable Route nextResolved() {
    Iterator<Route> first = resolved.iterator();
    if (!first.hasNext()) {
      return null;
    }
    Route route = first.next();
    first.remove();
    return route;
  }

  /** A route is needed no more. */
  void left(Route route) {
    resolved.remove(route);
  }

  void asked(long number, Route route) {
    resolved.remove(route);
    asks.put(number, route);
  }

  /** How many asks it has not answered. */
  int asked() {
    return asks.size();
  }

  /**
   * It has answered an ask; answers come in the order of the asks.
   *
   * @return what was asked for, or null if that was not asked, or is void
   */
  @Nullable Route answered(long number, long now) {
    Route route = asks.remove(number);
    if (route != null) {
      answered = Math.max(answered, number);
      answeredNanos = now;
    }
    return route;
  }

  /** How long it has owed an answer, or the next one if it has given some. */
  long silentFor(long now) {
    if (asks.isEmpty()) {
      return 0;
    }
    long askedNanos = asks.values().iterator().next().askedNanos();
    return now - Math.max(askedNanos, answeredNanos);
  }

  void doubt(Doubt doubt) {
    doubts.add(doubt);
  }

  /** A failure that made this side ask so, if one did and is not reported. */
  @Nullable Failure doubtOf(long ask) {
    for (Doubt doubt : doubts) {
      if (doubt.ask() == ask) {
        return doubt.failure();
      }
    }
    return null;
  }

  /** A failure of which it is known by now that the peer is not lost, or that it is. */
  @Nullable Failure nextFailure() {
    Doubt first = doubts.peek();
    if (first == null || first.ask() > answered) {
      return null;
    }
    doubts.remove();
    return first.failure();
  }

  /** Why the way to it was lost, as long as that was not reported. */
  @Nullable Failure loss() {
    return loss;
  }

  void loss(@Nullable Failure reason) {
    loss = reason;
  }

  /**
   * Begins anew: what was agreed is void, and no answer is waited for.
   *
   * @param lastAsk number of the last question to anybody
   */
  void startOver(long lastAsk) {
    session++;
    asks.clear();
    answered = lastAsk;
  }

  /** Whether nothing of it is waited for or to be reported. */
  boolean isSettled() {
    return asks.isEmpty() && doubts.isEmpty() && loss == null;
  }
}
