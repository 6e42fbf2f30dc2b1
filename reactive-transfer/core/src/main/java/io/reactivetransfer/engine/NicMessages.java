package io.reactivetransfer.engine;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.spi.RemotePeer;
import java.nio.ByteBuffer;
import java.util.IdentityHashMap;
import org.jspecify.annotations.Nullable;

/**
 * What NICs say to NICs of peers, to set up what they write by: carried by the control channel, in
 * order, as long as the session lasts. Belongs to the worker.
 */
final class NicMessages {

  /** The longest, in bytes. */
  static final int MAX_BYTES = 1_024;

  /** Whom something stands for that a NIC of ours resolved. */
  record Ends(PeerLink peer, int ours, int theirs) {}

  private final Worker worker;
  private final IdentityHashMap<RemotePeer, Ends> ends = new IdentityHashMap<>();

  NicMessages(Worker worker) {
    this.worker = worker;
  }

  void resolved(RemotePeer remote, Ends of) {
    ends.put(remote, of);
  }

  void released(RemotePeer remote) {
    ends.remove(remote);
  }

  /** A NIC of ours has something to say. */
  void say(int nic, RemotePeer to, ByteBuffer bytes) {
    Ends of = ends.get(to);
    if (of == null || of.ours() != nic || bytes.remaining() > MAX_BYTES) {
      worker.defect(
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

  /** A NIC of a peer has said something. */
  void heard(EngineId sender, @Nullable PeerLink peer, ByteBuffer frame) {
    int theirs = frame.remaining() < 2 ? -1 : frame.get();
    int ours = theirs < 0 ? -1 : frame.get();
    if (peer == null
        || theirs < 0
        || theirs >= peer.nics()
        || ours < 0
        || ours >= worker.nics().size()
        || frame.remaining() > MAX_BYTES) {
      worker.mailroom().malformed(sender);
    } else if (!worker.nics().hasFailed(ours)) {
      RemotePeer from;
      try {
        from = peer.remote(ours, theirs);
      } catch (RuntimeException e) { // the peer greets with what it likes
        worker.mailroom().malformed(sender);
        return;
      }
      worker.nics().domains()[ours].fromPeer(from, frame.slice());
    }
  }
}
