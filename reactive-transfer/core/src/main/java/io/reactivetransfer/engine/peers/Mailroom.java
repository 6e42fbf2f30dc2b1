package io.reactivetransfer.engine.peers;

import io.reactivetransfer.PeerUnreachableException;
import io.reactivetransfer.TransferRejectedException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.List;

/**
 * Says what is to be said, peer by peer, and each in the same order: what a session needs, what was
 * given up, messages. Belongs to the NIC thread.
 */
public final class Mailroom implements PeerEvents {

  private final Peers peers;
  private final Control control;
  private final Liveness liveness;
  private final OutgoingMessages outgoing;
  private final IncomingMessages incoming;
  private final List<PeerNic> ownNics;
  private final int maxMessageBytes;

  /**
   * For one engine.
   *
   * @param ownNics what others are told of its NICs
   * @param maxMessageBytes the longest message that it takes
   */
  public Mailroom(
      Peers peers,
      Control control,
      Liveness liveness,
      OutgoingMessages outgoing,
      IncomingMessages incoming,
      List<PeerNic> ownNics,
      int maxMessageBytes) {
    this.peers = peers;
    this.control = control;
    this.liveness = liveness;
    this.outgoing = outgoing;
    this.incoming = incoming;
    this.ownNics = ownNics;
    this.maxMessageBytes = maxMessageBytes;
  }

  /** Sends what the NIC takes; returns the number of frames. */
  public int flush() {
    assert peers.commands().owner().isCurrent();
    peers.sweepIfDue();
    ArrayDeque<Mail> ready = peers.ready();
    int sent = 0;
    for (int turns = ready.size(); turns > 0; turns--) {
      Mail mail = ready.removeFirst();
      mail.listed = false;
      try {
        sent += flush(mail);
      } catch (TransferRejectedException e) {
        OutgoingMessages.fail(mail, e);
        mail.unreachable();
      }
      mail.list();
    }
    return sent;
  }

  private int flush(Mail mail) {
    int sent = 0;
    if (mail.isOverfull()) {
      liveness.giveUp(mail.peer, "it does not take what it is told");
    }
    if (!mail.greeted && mail.hasWork()) {
      if (mail.peer.fences().areOpen()) {
        return sent; // who is greeted begins anew, and nothing of before may come after that
      }
      if (!post(mail, greeting(mail))) {
        return sent;
      }
      mail.greeted = true;
      mail.nicsDue = peers.nics().failed() != 0;
      sent++;
    }
    if (mail.canSend()) {
      mail.peer.outbound().tellAll(); // a message comes after all that was given up before it
    }
    while (mail.isDue()) {
      if (!flushDue(mail)) {
        return sent;
      }
      sent++;
      if (!mail.greeted) {
        return sent; // that was the last word
      }
    }
    return mail.holdsAborts() ? sent : sent + outgoing.flush(mail, frame -> post(mail, frame));
  }

  private ByteBuffer greeting(Mail mail) {
    return mail.greeting(peers.ownAddress(), maxMessageBytes, ownNics);
  }

  /** Says one of the things that are due; false if the NIC refuses. */
  private boolean flushDue(Mail mail) {
    if (mail.answerDue) {
      mail.answerDue = !post(mail, ControlFrame.alive());
      return !mail.answerDue;
    }
    if (mail.nicsDue) {
      mail.nicsDue = !post(mail, ControlFrame.nicsFailed(peers.nics().failed()));
      return !mail.nicsDue;
    }
    if (!mail.ofSession.isEmpty()) {
      if (!post(mail, mail.ofSession.element())) {
        return false;
      }
      mail.ofSession.remove();
      return true;
    }
    if (mail.askDue) {
      mail.askDue = !post(mail, ControlFrame.ask());
      return !mail.askDue;
    }
    if (mail.creditDue != 0) {
      return incoming.flushCredit(mail, frame -> post(mail, frame));
    }
    if (mail.hasEntries()) {
      if (!post(mail, mail.barriers.next(mail.theirEpoch()))) {
        return false;
      }
      mail.barriers.posted();
      return true;
    }
    return flushShares(mail);
  }

  private boolean flushShares(Mail mail) {
    if (mail.peer.inbound().isDue()) {
      return mail.peer.inbound().tell(mail.theirEpoch(), frame -> post(mail, frame));
    }
    return mail.canTellAborts()
        ? mail.peer.outbound().tell(mail.theirEpoch(), frame -> post(mail, frame))
        : flushDismissal(mail);
  }

  private boolean flushDismissal(Mail mail) {
    String dismissal = mail.dismissal;
    boolean owes = mail.peer.loss() == null && !mail.peer.outbound().isSettled();
    if (owes || mail.peer.isWanted()) {
      // It has to take something back first, and says when it has; or it is met anew, as what was
      // begun with it since then must not end with that.
      mail.dismissal = null;
      return true;
    }
    if (dismissal != null && !post(mail, ControlFrame.dismissal(dismissal))) {
      return false;
    }
    peers.forget(mail.peer);
    return true;
  }

  private boolean post(Mail mail, ByteBuffer frame) {
    return control.send(mail.peer, frame);
  }

  /** Whether every peer was told what it waits for in vain. */
  public boolean flushed() {
    return peers.ready().stream().noneMatch(mail -> mail.peer.outbound().isDue());
  }

  @Override
  public void lost(PeerLink peer, PeerUnreachableException loss) {
    OutgoingMessages.fail(peer.mail, loss);
    peer.mail.interrupted();
  }

  /** The engine closes. */
  public void close(RuntimeException reason) {
    outgoing.close();
    incoming.close();
    peers.forEachKnown(peer -> {
      peer.mail.close();
      OutgoingMessages.fail(peer.mail, reason);
      peer.states().close();
    });
  }
}
