package io.reactivetransfer.engine.peers;

import io.reactivetransfer.engine.base.Defects;
import io.reactivetransfer.engine.base.Nics;
import io.reactivetransfer.spi.RemotePeer;
import java.nio.ByteBuffer;

/**
 * What NICs say to NICs of peers, to set up what they write by: carried by the control channel, in
 * order, as long as the session lasts. Belongs to the NIC thread.
 */
public final class NicMessages {

  /** The longest, in bytes. */
  static final int MAX_BYTES = 1_024;

  /** Whom something stands for that a NIC of ours resolved. */
  record Ends(PeerLink peer, int ours, int theirs) {}

  private final Peers peers;
  private final Defects defects;

  public NicMessages(Peers peers, Defects defects) {
    this.peers = peers;
    this.defects = defects;
  }

  /** A NIC of ours has something to say. */
  public void say(int nic, RemotePeer to, ByteBuffer bytes) {
    Ends of = peers.endsOf(to);
    if (of == null || of.ours() != nic || bytes.remaining() > MAX_BYTES) {
      defects.report(
          "NIC "
              + nic
              + " has a message of "
              + bytes.remaining()
              + " bytes for a peer, expected at most "
              + MAX_BYTES
              + " for one that it resolved");
    } else {
      of.peer().mail.say(ControlFrame.nicMessage(nic, of.theirs(), bytes));
    }
  }

  /** A NIC of a peer has said something; false if that is nothing that it may say. */
  public boolean received(PeerLink peer, ByteBuffer frame) {
    int theirs = frame.remaining() < 2 ? -1 : frame.get();
    int ours = theirs < 0 ? -1 : frame.get();
    Nics nics = peers.nics();
    if (theirs < 0
        || theirs >= peer.nics()
        || ours < 0
        || ours >= nics.size()
        || frame.remaining() > MAX_BYTES) {
      return false;
    }
    if (!nics.hasFailed(ours)) {
      RemotePeer from;
      try {
        from = peer.remote(ours, theirs);
      } catch (RuntimeException e) { // the peer greets with what it likes
        return false;
      }
      nics.domains()[ours].fromPeer(from, frame.slice());
    }
    return true;
  }
}
