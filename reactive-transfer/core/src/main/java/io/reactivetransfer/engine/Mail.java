package io.reactivetransfer.engine;

import io.reactivetransfer.EngineId;
import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

/** The control messages between this engine and one peer: what waits, and who owes whom credit. */
final class Mail {

  /**
   * A message that waits for credit, or for the NIC. No record: each is itself, whatever is in it.
   */
  static final class Outgoing {
    final ByteBuffer frame;
    final Answer<Void> answer;

    /** Its place among those to its peer. */
    final Chain.Link<Outgoing> place = new Chain.Link<>(this);

    Outgoing(ByteBuffer frame, Answer<Void> answer) {
      this.frame = frame;
      this.answer = answer;
    }
  }

  final PeerLink peer;
  final Chain<Outgoing> outgoing = new Chain<>();

  /** Whether the peer was told our address since the connection began. */
  boolean greeted;

  /**
   * Messages sent to the peer so far, and up to which the peer lets us send. Both sides count from
   * the beginning, modulo 2^32, and through all connections: so what is lost with a connection, or
   * told to one side only, leaves no wrong balance behind.
   */
  int sent;

  int limit;

  /** Messages of the peer so far, with those that were lost, and up to which we let it send. */
  int received;

  int allowed;

  /** Whether the peer is to be told up to which it may send. */
  boolean creditDue;

  /** Whether it is to be told that when it is heard again, because it may not have got it. */
  boolean creditInDoubt;

  /** Messages of the peer that the application has not taken. */
  int untaken;

  /** Whether a sign of life is to be asked for. */
  boolean askDue;

  /** Whether one is to be given. */
  boolean answerDue;

  /** Whether it is to be told which NICs failed here. */
  boolean nicsDue;

  /**
   * Whether it is to be told of its aborts when it is heard again, because it may not have been.
   */
  boolean abortsHeardInDoubt;

  /** The number of the last abort of the peer that was taken note of. */
  int abortsHeard;

  /** Whether the peer is to be told that. */
  boolean abortsHeardDue;

  /** Immediates that the peer left in doubt, and that were discarded here: it is to be told. */
  final Set<Integer> cleared = new LinkedHashSet<>();

  /** Rounds of barriers that were entered here and that the peer must be told of, by group. */
  final Map<EngineId, Integer> barriers = new LinkedHashMap<>();

  /** Whether it stands in the list of those that have something to send. */
  boolean listed;

  Mail(PeerLink peer) {
    this.peer = peer;
  }

  /** How many messages the peer takes now. */
  int credits() {
    return limit - sent;
  }

  /** A connection is gone, and what was on its way: the peer must be told anew where we are. */
  void interrupted() {
    greeted = false;
    creditInDoubt |= allowed != 0;
    abortsHeardInDoubt |= abortsHeard != 0;
    unreachable();
  }

  /** Nothing that is due can be said. */
  void unreachable() {
    creditInDoubt |= creditDue;
    creditDue = false;
    askDue = false;
    answerDue = false;
    nicsDue = false;
    abortsHeardDue = false;
    cleared.clear(); // the peer asks again when it needs to know
    barriers.clear();
    peer.givenUp.interrupted();
  }

  boolean hasWork() {
    return isDue() || (!outgoing.isEmpty() && (credits() > 0 || !greeted));
  }

  /** Whether there is something to say that needs no credit. */
  boolean isDue() {
    return creditDue
        || askDue
        || answerDue
        || nicsDue
        || abortsHeardDue
        || !barriers.isEmpty()
        || !cleared.isEmpty()
        || peer.givenUp.hasToTell();
  }
}
