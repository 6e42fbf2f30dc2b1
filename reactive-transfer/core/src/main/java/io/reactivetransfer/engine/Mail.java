package io.reactivetransfer.engine;

import io.reactivetransfer.PeerAddress;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The control messages between this engine and one peer: what waits, and who owes whom credit. */
final class Mail {

  /** So much may wait to be said to a peer that says more than it hears, or hears nothing. */
  static final int MAX_OF_SESSION = 1 << 16;

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

  /** Which acquaintance with the peer this is: another number when we have forgotten it. */
  private int epoch;

  /** The number that the peer has given to its acquaintance with us; 0 before it greets. */
  private int theirEpoch;

  /** Whether a connection was lost since the peer greeted last. */
  private boolean broken;

  /**
   * Messages sent to the peer so far, and up to which the peer lets us send. Both sides count from
   * the beginning of their acquaintance, modulo 2^32, and through all connections: so what is lost
   * with a connection, or told to one side only, leaves no wrong balance behind.
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

  /** Whether someone waits until the peer has greeted. */
  boolean greetingWanted;

  /** Whether a sign of life is to be asked for. */
  boolean askDue;

  /** Whether one is to be given. */
  boolean answerDue;

  /** What is to be said, in order, and means nothing in another session. */
  final ArrayDeque<ByteBuffer> ofSession = new ArrayDeque<>();

  private int sessions;

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

  /** Barriers that were entered, here and there. */
  final BarrierEntries barriers = new BarrierEntries();

  /** Whether entries wait until there is another reason to believe that the peer is there. */
  private boolean barriersHeld;

  /** Why the peer is to be told that it is forgotten, or null. */
  @Nullable String dismissal;

  /** Whether it stands in the list of those that have something to send. */
  boolean listed;

  Mail(PeerLink peer, int epoch) {
    this.peer = peer;
    this.epoch = epoch;
  }

  int epoch() {
    return epoch;
  }

  int theirEpoch() {
    return theirEpoch;
  }

  boolean isBroken() {
    return broken;
  }

  /** Whether the peer counts, or may count, what goes between us. */
  boolean isKnownThere() {
    return greeted || theirEpoch != 0;
  }

  /**
   * Whether the peer has greeted since the session began, so that it can be written to. Who is
   * greeted by someone who does not know its number greets in turn.
   */
  boolean isOpen() {
    return theirEpoch != 0 && !broken;
  }

  /** What to greet the peer with. */
  ByteBuffer greeting(PeerAddress address, List<PeerNic> nics) {
    return new Greeting(epoch, broken ? 0 : theirEpoch, sent, address, nics).toFrame();
  }

  /**
   * Forgets what was said and counted, as if nobody had met. What the application has not taken
   * stays in the inbox, and what it wants to send, in the queue.
   */
  void renew(int epoch) {
    this.epoch = epoch;
    theirEpoch = 0;
    greeted = false;
    broken = false;
    sent = 0;
    limit = 0;
    received = 0;
    allowed = 0;
    creditDue = false;
    creditInDoubt = false;
    greetingWanted = false;
    askDue = false;
    answerDue = false;
    nicsDue = false;
    dismissal = null;
    ofSession.clear();
    abortsHeard = 0;
    abortsHeardDue = false;
    abortsHeardInDoubt = false;
    cleared.clear();
    barriers.reset();
  }

  /**
   * The peer greets.
   *
   * @param theirs the number that it gives to its acquaintance with us
   * @param ours the number that it knows of ours
   * @param sent how many messages it has sent
   */
  void greetedBy(int theirs, int ours, int sent) {
    int lost = sent - received;
    if (theirs != theirEpoch) {
      limit = theirEpoch == 0 ? limit : this.sent; // what it had let us send, it has forgotten
      theirEpoch = theirs;
      abortsHeard = 0;
      received = sent;
      allowed = sent;
    } else if (lost > 0 && lost <= allowed - received) {
      received = sent; // what was on its way when the connection broke never comes
    }
    greetingWanted = false;
    if (ours != epoch) {
      // What it has let us send, it has let those send who we were to it before.
      limit = this.sent;
      greetAgain();
    }
    broken = false;
  }

  private void greetAgain() {
    greeted = false;
    barriers.tellAgain();
  }

  /** How many messages the peer takes now. */
  int credits() {
    return limit - sent;
  }

  boolean hasEntries() {
    return barriers.isDue() && !barriersHeld;
  }

  /** The peer may be there: it is told of entries. */
  void releaseEntries() {
    barriersHeld = false;
  }

  /** A connection is gone, and what was on its way: the peer must be told anew where we are. */
  void interrupted() {
    broken = true;
    greetAgain();
    creditInDoubt |= allowed != 0;
    abortsHeardInDoubt |= abortsHeard != 0;
    unreachable();
  }

  /** Nothing that is due can be said. */
  void unreachable() {
    creditInDoubt |= creditDue;
    creditDue = false;
    greetingWanted = false;
    askDue = false;
    answerDue = false;
    nicsDue = false;
    abortsHeardDue = false;
    ofSession.clear();
    sessions++;
    cleared.clear(); // the peer asks again when it needs to know
    dismissal = null;
    barriersHeld = true;
    peer.givenUp.interrupted();
  }

  /** Has this said in the present session, or never. */
  void say(ByteBuffer frame) {
    if (ofSession.size() >= MAX_OF_SESSION) {
      peer.worker().liveness().giveUp(peer, "it does not take what it is told");
    } else if (isOpen()) { // else it was meant for a session that is over
      ofSession.add(frame);
      peer.worker().mailroom().list(this);
    }
  }

  /** The number of the present session. */
  int sessions() {
    return sessions;
  }

  boolean hasWork() {
    return isDue()
        || (!greeted && (greetingWanted || !outgoing.isEmpty()))
        || (credits() > 0 && !outgoing.isEmpty());
  }

  /** Whether there is something to say that needs no credit. */
  boolean isDue() {
    return creditDue
        || askDue
        || answerDue
        || nicsDue
        || abortsHeardDue
        || hasEntries()
        || !ofSession.isEmpty()
        || !cleared.isEmpty()
        || peer.givenUp.hasToTell()
        || dismissal != null;
  }

  /** Whether nothing is to be said, but perhaps that it is over, and nothing waits to be taken. */
  boolean isIdle() {
    return outgoing.isEmpty()
        && (peer.loss() != null || peer.givenUp.isSettled())
        && untaken == 0
        && !peer.givenUp.hasToTell()
        && !creditDue
        && !greetingWanted
        && !askDue
        && !answerDue
        && !nicsDue
        && !abortsHeardDue
        && ofSession.isEmpty()
        && cleared.isEmpty()
        && !hasEntries();
  }
}
