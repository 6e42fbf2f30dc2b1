package io.reactivetransfer.engine;

import io.reactivetransfer.PeerUnreachableException;
import io.reactivetransfer.TransferException.Origin;
import io.reactivetransfer.engine.base.Deadlines;

/**
 * Finds peers that are dead or stopped. While anything is waited for that only a peer can bring or
 * take, it is asked for a sign of life every quarter of the deadline; only what its process itself
 * says counts, because the NIC of a stopped process goes on acknowledging writes. Silence is
 * counted from look to look, each as a quarter at most: time in which this process itself stood
 * still says nothing of others, whose signs of life may be waiting to be read.
 */
final class Liveness {

  static final int ASKS_PER_DEADLINE = 4;

  private final Worker worker;
  private final long deadlineNanos;
  private final long lookNanos;
  private long lastLook;

  Liveness(Worker worker) {
    this.worker = worker;
    this.deadlineNanos = worker.options().livenessDeadline().toNanos();
    this.lookNanos = Math.max(1, deadlineNanos / ASKS_PER_DEADLINE);
  }

  /** Looks after the peers from now on. On the worker. */
  void begin() {
    lastLook = worker.now();
    worker.timers().at(lastLook + lookNanos, this::look);
  }

  private void look() {
    if (worker.shutdown().isBegun()) {
      return;
    }
    long passed = Math.min(worker.now() - lastLook, lookNanos);
    worker.peers().forEach(peer -> look(peer, passed));
    begin();
  }

  private void look(PeerLink peer, long passed) {
    peer.tryAllWays();
    if (peer.givenUp.look()) {
      worker.mailroom().abortsDue(peer);
    }
    if (!peer.isWanted()) {
      peer.unwatch();
    } else if (peer.silentNanos(passed) < ASKS_PER_DEADLINE * lookNanos) {
      worker.mailroom().ask(peer);
    } else {
      giveUp(peer, "it was silent for " + Deadlines.text(deadlineNanos) + " (livenessDeadline)");
    }
  }

  /** Ends everything that waits for a peer, without any help of it. On the worker. */
  void giveUp(PeerLink peer, String text) {
    peer.unwatch();
    worker.control().disconnect(peer, text);
    peer.disconnect(text);
    worker.peerLost(
        peer,
        new PeerUnreachableException(
            "peer " + peer + " is lost: " + text, Origin.peer(peer.id()), null));
  }
}
