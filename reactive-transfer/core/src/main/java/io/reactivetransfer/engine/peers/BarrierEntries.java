package io.reactivetransfer.engine.peers;

import io.reactivetransfer.EngineId;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Entries into barriers that a peer is told of, and that it tells of: each once and in order,
 * through all connections, for as long as both remember each other. They are numbered; what the
 * peer has not said that it knows is told again after a connection was lost. It says so along with
 * its own entries: members of a group answer each other anyway.
 */
final class BarrierEntries {

  private final ArrayDeque<EngineId> untold = new ArrayDeque<>();
  private final ArrayDeque<EngineId> told = new ArrayDeque<>();

  /**
   * The number of the last entry that the peer knows, and of the last one of its own known here.
   */
  private int acknowledged;

  private int received;

  /** Rounds that were entered here and not there, and the other way round; over all groups. */
  private int unanswered;

  private int ahead;

  /** The groups of these rounds: those in which one of the two is ahead of the other. */
  private final Set<EngineId> uneven = new LinkedHashSet<>();

  /** The peer is to be told that a group's next round was entered here. */
  void add(EngineId group) {
    untold.add(group);
  }

  boolean isDue() {
    return !untold.isEmpty();
  }

  /** What to tell next. */
  ByteBuffer next(int theirEpoch) {
    int number = acknowledged + told.size() + 1;
    return ControlFrame.barrier(untold.element(), theirEpoch, number, received);
  }

  /** That was told. */
  void posted() {
    told.add(untold.remove());
  }

  /** How many the peer has not said that it knows. */
  int unacknowledged() {
    return told.size() + untold.size();
  }

  /** The connection was lost, or the peer may not have known who spoke. */
  void tellAgain() {
    while (!told.isEmpty()) {
      untold.addFirst(told.removeLast());
    }
  }

  /** Whether this entry of the peer is news. */
  boolean isNext(int number) {
    if (number != received + 1) {
      return false;
    }
    received = number;
    return true;
  }

  /** The peer says up to which entry it knows ours. */
  void acknowledge(int number) {
    int news = number - acknowledged;
    if (news > 0 && news <= told.size()) {
      acknowledged = number;
      for (int i = 0; i < news; i++) {
        told.remove();
      }
    }
  }

  /** The peer is now so many rounds of a group ahead of this engine, and was so many before. */
  void lead(EngineId group, int before, int now) {
    if (now == 0) {
      uneven.remove(group);
    } else {
      uneven.add(group);
    }
    ahead += Math.max(0, now) - Math.max(0, before);
    unanswered += Math.max(0, -now) - Math.max(0, -before);
  }

  /** Rounds that were entered here and that the peer has not entered. */
  int unanswered() {
    return unanswered;
  }

  /** Rounds that the peer has entered and that were not entered here. */
  int ahead() {
    return ahead;
  }

  /** The groups in which one of the two is ahead of the other, as they are now. */
  List<EngineId> uneven() {
    return List.copyOf(uneven);
  }

  /** One of both begins anew. */
  void reset() {
    untold.clear();
    told.clear();
    acknowledged = 0;
    received = 0;
  }
}
