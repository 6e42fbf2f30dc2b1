package io.reactivetransfer.engine.peers;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.PeerUnreachableException;
import io.reactivetransfer.TransferException.Origin;
import io.reactivetransfer.TransferRejectedException;
import io.reactivetransfer.engine.base.Answer;
import io.reactivetransfer.engine.base.Defects;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Barriers of groups of engines. A member that enters a round tells every other one; a round is
 * over for a member that has entered it when all the others have entered it as well, or a later
 * one.
 *
 * <p>For each group is known by how many rounds each member is ahead of this engine, or behind it.
 * A group in which all are equal and nobody waits is not remembered, so that a group costs nothing
 * once it was used. Belongs to the NIC thread.
 */
public final class Barriers implements PeerEvents {

  /** Rounds, over all groups, by which one of two engines may be ahead of the other. */
  static final int MAX_LEAD = 1_024;

  /** Groups of which others spoke and nobody here, over all peers. */
  static final int MAX_GROUPS = 65_536;

  private record Waiting(State state, BarrierGroup group, int round, Answer<Void> answer) {}

  private static final class State {
    final EngineId group;
    final List<Waiting> waiting = new ArrayList<>();

    /** By how many rounds members are ahead of this engine; behind it, if below 0; never 0. */
    final Map<EngineId, Integer> leads = new HashMap<>();

    /** Rounds entered here since the group was remembered. */
    int entered;

    State(EngineId group) {
      this.group = group;
    }
  }

  private final Peers peers;
  private final Liveness liveness;
  private final Defects defects;
  private final Map<EngineId, State> states = new HashMap<>();

  /** The groups in which somebody waits here. */
  private final Set<State> busy = new LinkedHashSet<>();

  private @Nullable RuntimeException closed;

  public Barriers(Peers peers, Liveness liveness, Defects defects) {
    this.peers = peers;
    this.liveness = liveness;
    this.defects = defects;
  }

  /** How many groups are remembered. */
  public int groups() {
    return states.size();
  }

  /** Enters the next round of a group. */
  public void enter(BarrierGroup group, Answer<Void> answer) {
    assert peers.commands().owner().isCurrent();
    if (closed != null) {
      answer.error(closed);
      return;
    }
    for (PeerLink peer : group.others()) {
      requireNotFarAhead(peer);
    }
    // A member that was lost is told all the same: it may be back, and if not, it is lost again.
    State state = states.computeIfAbsent(group.id(), State::new);
    Waiting waiting = new Waiting(state, group, ++state.entered, answer);
    state.waiting.add(waiting);
    busy.add(state);
    for (PeerLink peer : group.others()) {
      peer.wanted(1);
      shift(state, peer, -1);
      peer.mail.enterBarrier(group.id());
    }
    answer.onCancel(() -> peers.commands().execute(() -> leave(waiting)));
    complete(state);
  }

  private static void requireNotFarAhead(PeerLink peer) {
    if (peer.mail.barriers.unanswered() >= MAX_LEAD) {
      throw new TransferRejectedException(
          "expected at most "
              + MAX_LEAD
              + " rounds of barriers that were entered here and that peer "
              + peer
              + " has not entered, got one more; wait for some of them",
          Origin.peer(peer.id()),
          null);
    }
  }

  /** A member says that it has entered the next round of a group; false if it says otherwise. */
  public boolean received(PeerLink peer, ByteBuffer frame) {
    assert peers.commands().owner().isCurrent();
    if (frame.remaining() != ControlFrame.BARRIER_BYTES) {
      return false;
    }
    EngineId group = new EngineId(frame.getLong(), frame.getLong());
    int epoch = frame.getInt();
    if (peer.mail.theirEpoch() == 0 || (epoch != 0 && epoch != peer.mail.epoch())) {
      return true; // meant for who we were to it before; it says so again when it has learned of us
    }
    BarrierEntries entries = peer.mail.barriers;
    int number = frame.getInt();
    entries.acknowledge(frame.getInt());
    if (entries.isNext(number)) {
      entered(group, peer);
    }
    return true;
  }

  /** A member has entered the next round of a group. */
  void entered(EngineId group, PeerLink member) {
    if (member.mail.barriers.ahead() >= MAX_LEAD) {
      refuse(member, MAX_LEAD + " rounds of barriers that nobody had entered here");
      return;
    }
    if (states.size() >= MAX_GROUPS && !states.containsKey(group)) {
      peers.forgetLost();
      if (states.size() >= MAX_GROUPS) {
        PeerLink guilty = furthestAhead(member);
        refuse(guilty, "its share of the " + MAX_GROUPS + " groups that are remembered");
        if (guilty.equals(member)) {
          return;
        }
      }
    }
    State state = states.computeIfAbsent(group, State::new);
    shift(state, member, 1);
    complete(state);
  }

  /** Whoever has entered most that nobody has entered here. */
  private PeerLink furthestAhead(PeerLink newcomer) {
    PeerLink[] most = {newcomer};
    peers.forEach(peer -> {
      if (peer.mail.barriers.ahead() > most[0].mail.barriers.ahead()) {
        most[0] = peer;
      }
    });
    return most[0];
  }

  private void refuse(PeerLink member, String what) {
    String text = "it entered more than " + what;
    defects.report("engine " + member.id().toShortString() + " is given up: " + text);
    liveness.dismiss(member, text);
  }

  @Override
  public void lost(PeerLink peer, PeerUnreachableException loss) {
    for (State state : List.copyOf(busy)) {
      for (Waiting waiting : List.copyOf(state.waiting)) {
        if (waiting.group().others().contains(peer)) {
          leave(waiting);
          waiting.answer().error(loss);
        }
      }
    }
  }

  @Override
  public void forgotten(PeerLink peer, PeerUnreachableException reason) {
    begunAnew(peer, reason);
  }

  /** This engine and the peer begin anew: neither is ahead of the other. */
  @Override
  public void begunAnew(PeerLink peer, PeerUnreachableException reason) {
    lost(peer, reason);
    BarrierEntries entries = peer.mail.barriers;
    for (EngineId group : entries.uneven()) { // and not all groups, for each of many peers
      State state = states.get(group);
      if (state != null) {
        shift(state, peer, -state.leads.getOrDefault(peer.id(), 0));
        dropIfSettled(state);
      }
    }
    entries.reset();
  }

  public void close(RuntimeException reason) {
    closed = reason;
    for (State state : List.copyOf(busy)) {
      for (Waiting waiting : List.copyOf(state.waiting)) {
        leave(waiting);
        waiting.answer().error(reason);
      }
    }
    states.clear();
  }

  private static void shift(State state, PeerLink peer, int rounds) {
    int before = state.leads.getOrDefault(peer.id(), 0);
    int now = before + rounds;
    if (now == 0) {
      state.leads.remove(peer.id());
    } else {
      state.leads.put(peer.id(), now);
    }
    peer.mail.barriers.lead(state.group, before, now);
  }

  private void complete(State state) {
    for (Waiting waiting : List.copyOf(state.waiting)) {
      if (isOver(state, waiting)) {
        leave(waiting);
        waiting.answer().success();
      }
    }
    dropIfSettled(state);
  }

  private static boolean isOver(State state, Waiting waiting) {
    int enteredSince = state.entered - waiting.round();
    for (PeerLink peer : waiting.group().others()) {
      if (state.leads.getOrDefault(peer.id(), 0) + enteredSince < 0) {
        return false;
      }
    }
    return true;
  }

  private void leave(Waiting waiting) {
    State state = waiting.state();
    if (state.waiting.remove(waiting)) {
      waiting.group().others().forEach(peer -> peer.wanted(-1));
      if (state.waiting.isEmpty()) {
        busy.remove(state);
      }
      dropIfSettled(state);
    }
  }

  private void dropIfSettled(State state) {
    if (state.waiting.isEmpty() && state.leads.isEmpty()) {
      states.remove(state.group, state);
    }
  }
}
