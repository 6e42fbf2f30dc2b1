package io.reactivetransfer.engine;

import io.reactivetransfer.EngineId;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.LinkedHashMap;
import java.util.Map;

/** The control messages between this engine and one peer: what waits, and who owes whom credit. */
final class Mail {

  /** A message that waits for credit, or for the NIC. */
  record Outgoing(ByteBuffer frame, Answer<Void> answer) {}

  final PeerLink peer;
  final ArrayDeque<Outgoing> outgoing = new ArrayDeque<>();

  /** Whether the peer was told our address since the connection began. */
  boolean greeted;

  /** Messages that the peer still takes from us. */
  int credits;

  /** Credit that we shall grant the peer. */
  int owed;

  /** Credit that the peer holds. */
  int granted;

  /** Messages of the peer that the application has not taken. */
  int untaken;

  /** Whether a sign of life is to be asked for. */
  boolean askDue;

  /** Whether one is to be given. */
  boolean answerDue;

  /** Whether it is to be told which NICs failed here. */
  boolean nicsDue;

  /** Immediates whose writes were given up here and that the peer must be told of, and why. */
  final Map<Integer, String> aborts = new LinkedHashMap<>();

  /** Rounds of barriers that were entered here and that the peer must be told of, by group. */
  final Map<EngineId, Integer> barriers = new LinkedHashMap<>();

  /** Whether it stands in the list of those that have something to send. */
  boolean listed;

  Mail(PeerLink peer) {
    this.peer = peer;
  }

  /** The connection is gone: what was agreed on it is void. */
  void reset() {
    greeted = false;
    credits = 0;
    owed = 0;
    granted = 0;
    askDue = false;
    answerDue = false;
    nicsDue = false;
    aborts.clear();
    barriers.clear();
  }

  boolean hasWork() {
    return isDue() || (!outgoing.isEmpty() && (credits > 0 || !greeted));
  }

  /** Whether there is something to say that needs no credit. */
  boolean isDue() {
    return owed > 0 || askDue || answerDue || nicsDue || !barriers.isEmpty() || !aborts.isEmpty();
  }
}
