package io.reactivetransfer.engine.origin;

import io.reactivetransfer.TransferRejectedException;
import io.reactivetransfer.engine.base.Nics;
import io.reactivetransfer.engine.peers.PeerLink;
import org.jspecify.annotations.Nullable;

/**
 * What becomes of pieces whose way was lost: they are posted on another NIC where it is certain
 * that the first of them never arrives. Belongs to the NIC thread.
 */
final class Failover {

  private final Nics nics;
  private final NicGroup posting;

  Failover(Nics nics, NicGroup posting) {
    this.nics = nics;
    this.posting = posting;
  }

  /**
   * The way of a piece is lost: another one is taken, if it is certain that the piece never
   * arrives, or when that is so. One that is counted may have been.
   */
  boolean postAgain(int nic, Flight flight, int piece, boolean refused) {
    PeerLink peer = flight.peer();
    boolean shut = peer.isShut(nic);
    boolean lost = nics.hasFailed(nic) || flight.isRerouted() || peer.hasLostWay(nic) || !shut;
    if (!lost
        || flight.isStopped()
        || flight.drained() != 0
        || !peer.isOpen()
        || !peer.hasOtherWays()
        || !(refused || !flight.pieceHasImm())
        || resolve(flight) != null
        || !flight.postAgain(piece, refused || shut)) {
      return false;
    }
    resume(flight);
    return true;
  }

  /**
   * Has the target of a flight known to all NICs: its peer may have others than when it began.
   *
   * @return why that cannot be; null if it is known
   */
  @Nullable TransferRejectedException resolve(Flight flight) {
    try {
      var _ = flight.run().target().resolve(nics.domains(), flight.to().resolved);
      return null;
    } catch (TransferRejectedException e) {
      return e;
    }
  }

  /** Posts what is to be posted again of it, if anything. */
  void resume(Flight flight) {
    if (!flight.queued && flight.hasMore()) {
      posting.resume(flight);
    }
  }

  /** What whoever has submitted it can do when its NIC has failed. */
  static String advice(Flight flight) {
    return flight.isInDoubt()
        ? "submit it again under another immediate, as nobody knows whether it was counted"
        : "submit it again";
  }
}
