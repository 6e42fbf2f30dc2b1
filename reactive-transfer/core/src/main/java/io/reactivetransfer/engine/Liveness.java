package io.reactivetransfer.engine;

import io.reactivetransfer.PeerUnreachableException;
import io.reactivetransfer.TransferException.Origin;
import io.reactivetransfer.spi.Domain;

/**
 * Finds peers that are dead or stopped. While anything is waited for that only a peer can bring or
 * take, it is asked for a sign of life every quarter of the deadline; only what its process itself
 * says counts, because the NIC of a stopped process goes on acknowledging writes.
 */
final class Liveness {

  private static final int ASKS_PER_DEADLINE = 4;

  private final Worker worker;
  private final long deadlineNanos;

  Liveness(Worker worker) {
    this.worker = worker;
    this.deadlineNanos = worker.options().livenessDeadline().toNanos();
  }

  /** Looks after the peers from now on. On the worker. */
  void begin() {
    worker.timers().at(worker.now() + deadlineNanos / ASKS_PER_DEADLINE, this::look);
  }

  private void look() {
    if (worker.shutdown().isBegun()) {
      return;
    }
    long now = worker.now();
    worker.peers().forEach(peer -> look(peer, now));
    begin();
  }

  private void look(PeerLink peer, long now) {
    if (!peer.isWanted()) {
      peer.unwatch();
    } else if (peer.silentNanos(now) < deadlineNanos) {
      worker.mailroom().ask(peer);
    } else {
      lose(peer);
    }
  }

  private void lose(PeerLink peer) {
    peer.unwatch();
    String text = "it was silent for " + Deadlines.text(deadlineNanos) + " (livenessDeadline)";
    Domain[] domains = worker.nics().domains();
    if (peer.isResolved()) {
      for (int nic = 0; nic < domains.length; nic++) {
        domains[nic].disconnect(peer.remote(nic), text);
      }
    }
    worker.peerLost(
        peer,
        new PeerUnreachableException(
            "peer " + peer + " is lost: " + text, Origin.peer(peer.id()), null));
  }
}
