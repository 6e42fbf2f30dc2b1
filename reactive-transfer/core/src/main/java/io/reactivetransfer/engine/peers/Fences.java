package io.reactivetransfer.engine.peers;

import io.reactivetransfer.spi.Domain;
import io.reactivetransfer.spi.RemotePeer;
import java.nio.ByteBuffer;

/**
 * Shuts out what one peer has on its way here before anything begins anew with it, and has it do so
 * with what is on its way there: what was posted on a way that is lost may still lie in a queue of
 * the target, and would else be counted after the target was told that nobody knows whether it was.
 * Belongs to the NIC thread.
 */
final class Fences {

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
  void shut(int ours, RemotePeer remote, String reason, Runnable then) {
    Domain domain = peers.nics().domains()[ours];
    open[ours]++;
    shutting |= 1 << ours;
    var _ =
        domain
            .disconnect(remote, reason)
            .whenComplete((nothing, failure) ->
                peers
                    .commands()
                    .execute(() -> {
                      if (--open[ours] == 0) {
                        shutting &= ~(1 << ours);
                      }
                      then.run();
                    }));
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
    int session = peer.mail.sessions();
    Runnable answer =
        () -> {
          if (session == peer.mail.sessions()) {
            ByteBuffer fenced = ControlFrame.fenced(ours, theirs);
            peer.mail.say(fenced);
          }
        };
    if (peers.nics().hasFailed(ours)) {
      answer.run();
    } else {
      if (peer.counterpart(ours) == theirs) {
        peer.wayLost(ours); // what we have on that way ends with it, and is asked for before
      }
      shut(ours, remote, "its NIC " + theirs + " lost its way", answer);
    }
  }
}
