package io.reactivetransfer.engine.origin;

import io.reactivetransfer.PeerUnreachableException;
import io.reactivetransfer.TransferException.Origin;
import io.reactivetransfer.TransferFailedException;
import io.reactivetransfer.engine.memory.ResolvedRegion;
import io.reactivetransfer.engine.memory.ResolvedRegions;
import io.reactivetransfer.engine.peers.ControlFrame;
import io.reactivetransfer.engine.peers.PeerLink;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

/**
 * Regions of one peer that it has revoked: nothing more is posted there, and the peer is told when
 * what was out has come back. Belongs to the NIC thread.
 */
final class Drains {

  /** Of more, the oldest is forgotten: then the NIC of the peer refuses what is written there. */
  private static final int MAX_REVOKED = 4_096;

  private final PeerLink peer;
  private final ResolvedRegions resolved;
  private final Set<Long> revoked = new LinkedHashSet<>();

  /** How many flights to a region are out. */
  private final Map<Long, Integer> out = new HashMap<>();

  Drains(PeerLink peer, ResolvedRegions resolved) {
    this.peer = peer;
    this.resolved = resolved;
  }

  /** The peer wants to hear when nothing is out any more. */
  void begin(long number, int flights) {
    revoked.add(number);
    if (revoked.size() > MAX_REVOKED) {
      revoked.remove(revoked.iterator().next());
    }
    if (flights == 0) {
      over(number);
    } else {
      out.put(number, flights);
    }
  }

  /** A flight that was out when a drain began has come back. */
  void ended(long number) {
    Integer left = out.remove(number);
    if (left != null && left > 1) {
      out.put(number, left - 1);
    } else if (left != null) {
      over(number);
    }
  }

  private void over(long number) {
    resolved.revoked(number);
    peer.mail.say(ControlFrame.stopped(number));
  }

  /** Whether the peer waits for what is out to a region. */
  boolean isUnderWay(long number) {
    return out.containsKey(number);
  }

  /**
   * Throws if the peer has revoked it: why the peer was lost, if it was, for nobody asks it then.
   */
  void requireNotRevoked(ResolvedRegion target) {
    if (!revoked.isEmpty() && revoked.contains(target.number())) {
      PeerUnreachableException loss = peer.loss();
      throw loss == null ? revoked(target) : loss;
    }
  }

  TransferFailedException revoked(ResolvedRegion target) {
    return new TransferFailedException(
        "its owner has revoked a " + target + "; ask it for the present descriptor",
        Origin.peer(peer.id()),
        null);
  }

  void clear() {
    revoked.clear();
    out.clear();
  }
}
