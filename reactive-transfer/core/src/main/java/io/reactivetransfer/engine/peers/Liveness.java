package io.reactivetransfer.engine.peers;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.PeerUnreachableException;
import io.reactivetransfer.TransferException.Origin;
import io.reactivetransfer.engine.base.Deadlines;
import java.time.Duration;

/**
 * Finds peers that are dead or stopped. While anything is waited for that only a peer can bring or
 * take, it is asked for a sign of life every quarter of the deadline; only what its process itself
 * says counts, because the NIC of a stopped process goes on acknowledging writes. Silence is
 * counted from look to look, each as a quarter at most: time in which this process itself stood
 * still says nothing of others, whose signs of life may be waiting to be read. A peer that has
 * never greeted has the time of a connection, if that is longer: it may have begun only now, and a
 * program is slow when it begins. Belongs to the NIC thread.
 */
public final class Liveness {

  public static final int ASKS_PER_DEADLINE = 4;

  private final Peers peers;
  private final Control control;
  private final long deadlineNanos;
  private final long lookNanos;
  private final long connectNanos;
  private long lastLook;

  /**
   * Of the peers of one engine.
   *
   * @param deadline how long one may be silent
   * @param connectTimeout how long one may be silent that has never greeted, if that is longer
   */
  public Liveness(Peers peers, Control control, Duration deadline, Duration connectTimeout) {
    this.peers = peers;
    this.control = control;
    this.deadlineNanos = deadline.toNanos();
    this.lookNanos = lookNanos(deadline);
    this.connectNanos = connectTimeout.toNanos();
  }

  /** How much time is between two looks, if peers may be silent for as long as that. */
  public static long lookNanos(Duration deadline) {
    return Math.max(1, deadline.toNanos() / ASKS_PER_DEADLINE);
  }

  /** Looks after the peers from now on. */
  public void begin() {
    lastLook = peers.timers().now();
    peers.timers().at(lastLook + lookNanos, this::look);
  }

  private void look() {
    if (peers.closing().isBegun()) {
      return;
    }
    long passed = Math.min(peers.timers().now() - lastLook, lookNanos);
    long late = peers.timers().turnNanos() - lastLook - lookNanos;
    long stoodStill = late > lookNanos ? late : 0;
    peers.forEach(peer -> look(peer, passed, stoodStill));
    begin();
  }

  private void look(PeerLink peer, long passed, long stoodStill) {
    peer.tryAllWays();
    peer.mail.lookedAt();
    if (peer.outbound().look(stoodStill)) {
      peer.mail.list();
    }
    if (peer.fences().look()) {
      giveUp(peer, "it has not shut a lost way within " + Deadlines.text(deadlineNanos));
    } else if (peer.mail.isStuck()) {
      giveUp(
          peer,
          "it has not gone on with a message within "
              + Deadlines.text(deadlineNanos)
              + " (livenessDeadline), and others waited for that room");
    } else if (!peer.isWanted()) {
      peer.unwatch();
    } else if (isPatientWith(peer, peer.silentNanos(passed))) {
      peer.mail.ask();
    } else if (peer.hasEverGreeted() || connectNanos <= deadlineNanos) {
      giveUp(peer, "it was silent for " + Deadlines.text(deadlineNanos) + " (livenessDeadline)");
    } else {
      giveUp(peer, "it was silent for " + Deadlines.text(connectNanos) + " (connectTimeout)");
    }
  }

  private boolean isPatientWith(PeerLink peer, long silentNanos) {
    return silentNanos < ASKS_PER_DEADLINE * lookNanos
        || (!peer.hasEverGreeted() && silentNanos < connectNanos);
  }

  /** Ends everything that waits for a peer, without any help of it. */
  public void giveUp(PeerLink peer, String text) {
    control.disconnect(peer, text);
    peer.disconnect(text);
    peers.lose(
        peer,
        new PeerUnreachableException(
            "peer " + peer + " is lost: " + text, Origin.peer(peer.id()), null));
  }

  /** The same, and forgets it: it asks too much, and is told so when it can be. */
  public void dismiss(PeerLink peer, String text) {
    giveUp(peer, text);
    peers.forget(peer); // at once: a NIC that reports the loss may keep it from hearing
    peer.mail.dismiss(text);
  }

  /** Gives up an engine that may have written and never have greeted: then it is no peer. */
  public void giveUp(EngineId id, String text) {
    PeerLink peer = peers.find(id);
    if (peer != null) {
      giveUp(peer, text);
    } else {
      control.disconnect(id, text);
      peers.strangerLost(id);
    }
  }
}
