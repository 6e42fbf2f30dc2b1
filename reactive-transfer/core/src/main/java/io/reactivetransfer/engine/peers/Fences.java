package io.reactivetransfer.engine.peers;

import io.reactivetransfer.spi.Domain;
import io.reactivetransfer.spi.RemotePeer;
import java.nio.ByteBuffer;
import java.util.IdentityHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Shuts out what one peer has on its way here before anything begins anew with it, and has it do so
 * with what is on its way there: what was posted on a way that is lost may still lie in a queue of
 * the target, and would else be counted after the target was told that nobody knows whether it was.
 * Belongs to the NIC thread.
 */
final class Fences {

  /** No session in which the peer asked for it. */
  private static final int NOBODY = -1;

  /** A way of the peer to one of our NICs that is being shut. */
  private static final class Shutting {
    private final int ours;
    private final int theirs;
    private final RemotePeer remote;

    /** Why it is to be shut once more, when this has ended; null if it is not. */
    private @Nullable String again;

    /** The session in which the peer then is to be answered, or nobody. */
    private int askerAgain = NOBODY;

    private Shutting(int ours, int theirs, RemotePeer remote) {
      this.ours = ours;
      this.theirs = theirs;
      this.remote = remote;
    }
  }

  private final PeerLink peer;
  private final Peers peers;

  /** NICs of ours whose lost way the peer is to shut and has not shut yet, as a set of bits. */
  private int asked;

  /** How often was looked, in vain, since the peer was asked or has answered. */
  private int looks;

  /** The NICs of the peer that these ways led to, by the numbers of ours. */
  private final int[] askedOf;

  /** How many fences our NICs have yet to complete, by their numbers. */
  private final int[] open;

  private final IdentityHashMap<RemotePeer, Shutting> ways = new IdentityHashMap<>(1);

  /** Those of our NICs that have any to complete, as a set of bits. */
  private int shutting;

  Fences(PeerLink peer, Peers peers) {
    this.peer = peer;
    this.peers = peers;
    this.askedOf = new int[peers.nics().size()];
    this.open = new int[peers.nics().size()];
  }

  // ---- what we have on the way there ----

  /** NICs of ours whose lost way it has yet to shut, as a set of bits. */
  int asked() {
    return asked;
  }

  /**
   * NICs of ours that post nothing to it, as a set of bits. While one of ours shuts its way, it may
   * still report the loss of what was there before.
   */
  int unusable() {
    return asked | shutting;
  }

  /** One of our NICs has lost its way to it; it is asked in the present session or not at all. */
  void ask(int nic) {
    int bit = 1 << nic;
    if (peer.isOpen() && (asked & bit) == 0) {
      asked |= bit;
      askedOf[nic] = peer.counterpart(nic);
      peer.mail.say(ControlFrame.fence(nic, askedOf[nic]));
    }
  }

  /** Nothing comes there any more of what a NIC of ours has posted on the lost way. */
  private void answered(int nic) {
    asked &= ~(1 << nic);
    looks = 0;
    peer.mail.list();
    if (asked == 0) {
      peers.shut(peer);
    }
  }

  /**
   * A quarter of the liveness deadline has passed; true if the peer was asked for as long as that,
   * and has answered nothing: what waits for the answer would wait for ever.
   */
  boolean look() {
    looks = asked == 0 ? 0 : looks + 1;
    return looks > Liveness.ASKS_PER_DEADLINE;
  }

  /** These NICs of the peer have failed, as a set of bits: nothing comes in there any more. */
  void nicsFailed(int failed) {
    for (int nic = 0; nic < askedOf.length; nic++) {
      if ((asked & 1 << nic) != 0 && (failed & 1 << askedOf[nic]) != 0) {
        answered(nic);
      }
    }
  }

  /** The session is over: with the next greeting the peer says that it has shut all ways. */
  void interrupted() {
    asked = 0;
    looks = 0;
  }

  // ---- what it has on the way here ----

  /** Has one of our NICs give one of its up, and shut out what that had on its way. */
  void shut(int ours, int theirs, RemotePeer remote, String reason) {
    shut(ours, theirs, remote, reason, NOBODY);
  }

  /**
   * What comes while a way is being shut is done once more behind that, however often it is asked
   * for: a peer that greets or loses ways without end has one of our NICs keep two of them in mind,
   * and not each.
   */
  private void shut(int ours, int theirs, RemotePeer remote, String reason, int asker) {
    Shutting known = ways.get(remote);
    if (known != null) {
      known.again = reason;
      known.askerAgain = asker == NOBODY ? known.askerAgain : asker;
      return;
    }
    Shutting way = new Shutting(ours, theirs, remote);
    ways.put(remote, way);
    open[ours]++;
    shutting |= 1 << ours;
    begin(way, reason, asker);
  }

  private void begin(Shutting way, String reason, int asker) {
    Domain domain = peers.nics().domains()[way.ours];
    var _ =
        domain
            .disconnect(way.remote, reason)
            .whenComplete(
                (nothing, failure) -> peers.commands().execute(() -> ended(way, asker, failure)));
  }

  private void ended(Shutting way, int asker, @Nullable Throwable failure) {
    if (failure != null && !peers.nics().hasFailed(way.ours) && !peers.nics().isClosed()) {
      throw new IllegalStateException("a NIC could not shut out " + peer, failure);
    }
    if (asker == peer.mail.sessions()) {
      peer.mail.say(ControlFrame.fenced(way.ours, way.theirs));
    }
    // Nothing comes in by a NIC that is closed, which is asked for nothing any more.
    String again = peers.nics().isClosed() ? null : way.again;
    if (again == null) {
      remove(way);
      peer.wayShut(way.ours, way.theirs);
    } else if (ways.get(way.remote) == way) { // else it was released meanwhile
      int next = way.askerAgain;
      way.again = null;
      way.askerAgain = NOBODY;
      begin(way, again, next);
    }
  }

  private void remove(Shutting way) {
    if (ways.remove(way.remote, way) && --open[way.ours] == 0) {
      shutting &= ~(1 << way.ours);
    }
  }

  /**
   * Whether a NIC of ours has yet to shut this one of the peer, and may not be told to release it
   * before. One that has failed is not waited for.
   */
  boolean isShutting(RemotePeer remote) {
    Shutting way = ways.get(remote);
    return way != null && !peers.nics().hasFailed(way.ours);
  }

  /** A NIC of ours is told to release this one of the peer: it is asked for nothing about it. */
  void released(RemotePeer remote) {
    Shutting way = ways.get(remote);
    if (way != null) {
      remove(way);
    }
  }

  /** Whether something that it had on its way may still come in. */
  boolean areOpen() {
    return (shutting & ~peers.nics().failed()) != 0;
  }

  /** It speaks of a lost way; false if it says otherwise. */
  boolean received(byte kind, ByteBuffer frame) {
    int theirs = frame.remaining() == 2 ? frame.get() : -1;
    int ours = theirs < 0 ? -1 : frame.get();
    if (theirs < 0 || theirs >= peer.nics() || ours < 0 || ours >= open.length) {
      return false;
    }
    if (kind == ControlFrame.FENCED) {
      if (askedOf[ours] == theirs) { // else that NIC has failed since, and another one is asked
        answered(ours);
      }
      return true;
    }
    RemotePeer remote;
    try {
      remote = peer.remote(ours, theirs);
    } catch (RuntimeException e) { // the peer greets with addresses as it likes
      return false;
    }
    asked(ours, theirs, remote);
    return true;
  }

  /** It has lost a way to us, and asks to have it shut. */
  private void asked(int ours, int theirs, RemotePeer remote) {
    if (peers.nics().hasFailed(ours)) {
      peer.mail.say(ControlFrame.fenced(ours, theirs));
    } else {
      if (peer.counterpart(ours) == theirs) {
        peer.wayLost(ours); // what we have on that way ends with it, and is asked for before
      }
      String reason = "its NIC " + theirs + " lost its way";
      shut(ours, theirs, remote, reason, peer.mail.sessions());
    }
  }
}
