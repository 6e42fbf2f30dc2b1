package io.reactivetransfer.engine;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.PeerUnreachableException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Barriers of groups of engines. A member that enters a round tells every other one; a round is
 * over for a member that has entered it when it has heard from all the others that they have
 * entered this one or a later one. Belongs to the worker.
 */
final class Barriers {

  /** Groups of which others spoke and nobody here: a bound against nonsense. */
  private static final int MAX_GROUPS = 4_096;

  private record Waiting(BarrierGroup group, int round, Answer<Void> answer) {}

  private static final class State {
    final Map<EngineId, Integer> heard = new HashMap<>();
    final List<Waiting> waiting = new ArrayList<>();
    int entered;
  }

  private final Worker worker;
  private final Map<EngineId, State> states = new HashMap<>();
  private @Nullable RuntimeException closed;

  Barriers(Worker worker) {
    this.worker = worker;
  }

  /** Enters the next round of a group. */
  void enter(BarrierGroup group, Answer<Void> answer) {
    if (closed != null) {
      answer.error(closed);
      return;
    }
    // A member that was lost is told all the same: it may be back, and if not, it is lost again.
    State state = states.computeIfAbsent(group.id(), id -> new State());
    Waiting waiting = new Waiting(group, ++state.entered, answer);
    state.waiting.add(waiting);
    for (PeerLink peer : group.others()) {
      peer.wanted(1);
      worker.mailroom().enterBarrier(peer, group.id(), waiting.round());
    }
    answer.onCancel(() -> worker.execute(() -> leave(waiting)));
    complete(state);
  }

  /** A member says that it has entered a round. */
  void entered(EngineId group, EngineId member, int round) {
    if (states.size() >= MAX_GROUPS && !states.containsKey(group)) {
      worker.defect("engine " + member.toShortString() + " speaks of one barrier group too many");
      return;
    }
    State state = states.computeIfAbsent(group, id -> new State());
    state.heard.merge(member, round, Math::max);
    complete(state);
  }

  void peerLost(PeerLink peer, PeerUnreachableException loss) {
    for (State state : states.values()) {
      for (Waiting waiting : List.copyOf(state.waiting)) {
        if (waiting.group().others().contains(peer)) {
          leave(waiting);
          waiting.answer().error(loss);
        }
      }
    }
  }

  void close(RuntimeException reason) {
    closed = reason;
    for (State state : states.values()) {
      for (Waiting waiting : List.copyOf(state.waiting)) {
        leave(waiting);
        waiting.answer().error(reason);
      }
    }
  }

  private void complete(State state) {
    for (Waiting waiting : List.copyOf(state.waiting)) {
      if (isOver(state, waiting)) {
        leave(waiting);
        waiting.answer().success();
      }
    }
  }

  private static boolean isOver(State state, Waiting waiting) {
    for (PeerLink peer : waiting.group().others()) {
      if (state.heard.getOrDefault(peer.id(), 0) < waiting.round()) {
        return false;
      }
    }
    return true;
  }

  private void leave(Waiting waiting) {
    State state = states.get(waiting.group().id());
    if (state != null && state.waiting.remove(waiting)) {
      waiting.group().others().forEach(peer -> peer.wanted(-1));
    }
  }
}
