package io.reactivetransfer.engine;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;

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
  }

  boolean hasWork() {
    return owed > 0 || (!outgoing.isEmpty() && (credits > 0 || !greeted));
  }
}
