package io.reactivetransfer.engine;

import io.reactivetransfer.DescriptorFormatException;
import io.reactivetransfer.EngineId;
import io.reactivetransfer.Message;
import io.reactivetransfer.PeerAddress;
import io.reactivetransfer.PeerUnreachableException;
import io.reactivetransfer.TransferRejectedException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * Sends and receives control messages. A sender holds credit for every message that it may send;
 * the receiver grants it when it hears of the sender, and again as its application takes messages.
 * All frames to a peer go over one NIC, the first that has not failed, so that they keep their
 * order. Belongs to the worker.
 */
final class Mailroom {

  /** More credit than this is not believed. */
  private static final int MAX_CREDITS = 1 << 16;

  private final Worker worker;
  private final int maxCredits;
  private final Inbox inbox;
  private final AbortMail aborts;
  private final ArrayDeque<Mail> ready = new ArrayDeque<>();
  private boolean closed;

  Mailroom(Worker worker, int maxCredits) {
    this.worker = worker;
    this.maxCredits = maxCredits;
    this.inbox = new Inbox(worker);
    this.aborts = new AbortMail(worker, this);
  }

  Inbox inbox() {
    return inbox;
  }

  /** Takes a message over, to be sent when there is credit. */
  void send(PeerLink peer, ByteBuffer frame, Answer<Void> answer) {
    if (closed) {
      answer.error(Admission.closedError());
      return;
    }
    Mail.Outgoing message = new Mail.Outgoing(frame, answer);
    peer.mail.outgoing.add(message.place);
    answer.onCancel(() -> worker.execute(() -> peer.mail.outgoing.remove(message.place)));
    list(peer.mail);
  }

  /** Sends what the NIC takes; returns the number of frames. */
  int flush() {
    int sent = 0;
    for (int turns = ready.size(); turns > 0; turns--) {
      Mail mail = ready.removeFirst();
      mail.listed = false;
      try {
        sent += flush(mail);
      } catch (TransferRejectedException e) {
        failOutgoing(mail, e);
        mail.unreachable();
      }
      if (mail.hasWork()) {
        list(mail);
      }
    }
    return sent;
  }

  private int flush(Mail mail) {
    int sent = 0;
    mail.peer.resolve(worker.nics().domains());
    if (!mail.greeted && mail.hasWork()) {
      if (!post(mail, ControlFrame.hello(worker.address(), mail.sent))) {
        return sent;
      }
      mail.greeted = true;
      mail.nicsDue = worker.nics().failed() != 0;
      sent++;
    }
    while (mail.isDue()) {
      if (!flushDue(mail)) {
        return sent;
      }
      sent++;
    }
    Chain.Link<Mail.Outgoing> message;
    while (mail.credits() > 0 && (message = mail.outgoing.first()) != null) {
      if (!post(mail, message.member().frame)) {
        return sent;
      }
      mail.outgoing.remove(message);
      mail.sent++;
      sent++;
      message.member().answer.success();
    }
    return sent;
  }

  /** Says one of the things that are due; false if the NIC refuses. */
  private boolean flushDue(Mail mail) {
    if (mail.answerDue) {
      mail.answerDue = !post(mail, ControlFrame.alive());
      return !mail.answerDue;
    }
    if (mail.nicsDue) {
      mail.nicsDue = !post(mail, ControlFrame.nicsFailed(worker.nics().failed()));
      return !mail.nicsDue;
    }
    if (mail.askDue) {
      mail.askDue = !post(mail, ControlFrame.ask());
      return !mail.askDue;
    }
    if (mail.creditDue) {
      int allowed = due(mail);
      if (!post(mail, ControlFrame.credit(allowed))) {
        return false;
      }
      mail.allowed = allowed;
      mail.creditDue = false;
      return true;
    }
    if (!mail.barriers.isEmpty()) {
      var entry = mail.barriers.entrySet().iterator();
      var round = entry.next();
      if (!post(mail, ControlFrame.barrier(round.getKey(), round.getValue()))) {
        return false;
      }
      entry.remove();
      return true;
    }
    return flushAborts(mail);
  }

  private boolean flushAborts(Mail mail) {
    if (mail.abortsHeardDue) {
      mail.abortsHeardDue = !post(mail, ControlFrame.aborted(mail.abortsHeard));
      return !mail.abortsHeardDue;
    }
    var cleared = mail.cleared.iterator();
    if (cleared.hasNext()) {
      if (!post(mail, ControlFrame.cleared(cleared.next(), mail.abortsHeard))) {
        return false;
      }
      cleared.remove();
      return true;
    }
    PeerLink peer = mail.peer;
    if (!post(mail, ControlFrame.abort(peer.givenUp.next(), proof(peer)))) {
      return false;
    }
    peer.givenUp.sent(worker.youngestSubmission());
    return true;
  }

  /** Shows that this engine was told the address of the peer, so may signal it. */
  private byte[] proof(PeerLink peer) {
    int nic = peer.counterpart(worker.nics().first());
    return peer.address().nics().get(nic).doorbellKey();
  }

  private boolean post(Mail mail, ByteBuffer frame) {
    int nic = worker.nics().first();
    return worker.nics().domains()[nic].send(mail.peer.remote(nic), frame);
  }

  /** Tells a peer which NICs have failed here. */
  void nicsFailed(PeerLink peer) {
    peer.mail.nicsDue = true;
    list(peer.mail);
  }

  /** Asks a peer for a sign of life. */
  void ask(PeerLink peer) {
    peer.mail.askDue = true;
    list(peer.mail);
  }

  /** Tells a peer that a round of a barrier was entered here. */
  void enterBarrier(PeerLink peer, EngineId group, int round) {
    peer.mail.barriers.merge(group, round, Math::max);
    list(peer.mail);
  }

  /** There is something to tell a peer of what was given up. */
  void abortsDue(PeerLink peer) {
    list(peer.mail);
  }

  /** Tells a peer that an immediate is in doubt no more. */
  void cleared(EngineId origin, int imm) {
    PeerLink peer = worker.peers().find(origin);
    if (peer != null) {
      peer.mail.cleared.add(imm);
      list(peer.mail);
    }
  }

  /** Whether every peer was told what it waits for in vain. */
  boolean flushed() {
    return ready.stream().noneMatch(mail -> mail.peer.givenUp.hasToTell());
  }

  /** A frame has come; it may hold anything. */
  void received(EngineId sender, ByteBuffer frame) {
    PeerLink peer = worker.peers().find(sender);
    if (peer != null) {
      peer.heard();
      if (peer.mail.creditInDoubt) {
        peer.mail.creditInDoubt = false;
        oweCredit(peer.mail);
      }
      if (peer.mail.abortsHeardInDoubt) {
        peer.mail.abortsHeardInDoubt = false;
        peer.mail.abortsHeardDue = true;
        list(peer.mail);
      }
      if (peer.givenUp.wake()) {
        list(peer.mail);
      }
    }
    switch (frame.hasRemaining() ? frame.get() : 0) {
      case ControlFrame.HELLO -> hello(sender, frame);
      case ControlFrame.ABORT -> aborts.told(sender, peer, frame);
      case ControlFrame.ABORTED -> aborts.acknowledged(sender, peer, frame);
      case ControlFrame.CLEARED -> aborts.cleared(sender, peer, frame);
      case ControlFrame.CREDIT -> credit(sender, peer, frame);
      case ControlFrame.MESSAGE -> message(sender, peer, frame);
      case ControlFrame.ASK -> {
        if (peer != null) {
          peer.mail.answerDue = true;
          list(peer.mail);
        }
      }
      case ControlFrame.NICS_FAILED -> {
        if (peer == null || !frame.hasRemaining()) {
          malformed(sender);
        } else {
          worker.nicFailures().peerSays(peer, Byte.toUnsignedInt(frame.get()));
        }
      }
      case ControlFrame.BARRIER -> barrier(sender, frame);
      case ControlFrame.ALIVE -> {
        // that it came is all that it says
      }
      default -> malformed(sender);
    }
  }

  private void barrier(EngineId sender, ByteBuffer frame) {
    if (frame.remaining() != EngineId.BYTES + Integer.BYTES) {
      malformed(sender);
    } else {
      EngineId group = new EngineId(frame.getLong(), frame.getLong());
      worker.barriers().entered(group, sender, frame.getInt());
    }
  }

  private void credit(EngineId sender, @Nullable PeerLink peer, ByteBuffer frame) {
    if (peer == null || frame.remaining() != Integer.BYTES) {
      malformed(sender);
      return;
    }
    Mail mail = peer.mail;
    int limit = frame.getInt();
    if (limit - mail.limit > 0) {
      mail.limit = mail.sent + Math.clamp(limit - mail.sent, 0, MAX_CREDITS);
      list(mail);
    }
  }

  private void message(EngineId sender, @Nullable PeerLink peer, ByteBuffer frame) {
    if (peer == null || peer.mail.allowed - peer.mail.received <= 0) {
      malformed(sender);
      return;
    }
    peer.mail.received++;
    peer.mail.untaken++;
    byte[] content = new byte[frame.remaining()];
    frame.get(content);
    inbox.put(new Message(peer, ByteBuffer.wrap(content)));
  }

  void malformed(EngineId sender) {
    worker.defect(
        "a malformed or unsolicited control message came from engine " + sender.toShortString());
  }

  private void hello(EngineId sender, ByteBuffer frame) {
    if (frame.remaining() < Integer.BYTES) {
      malformed(sender);
      return;
    }
    int sent = frame.getInt();
    byte[] bytes = new byte[frame.remaining()];
    frame.get(bytes);
    try {
      PeerAddress address = PeerAddress.fromBytes(bytes);
      if (!address.engine().equals(sender)) {
        throw new DescriptorFormatException("it names another engine");
      }
      PeerLink peer = worker.peers().of(address);
      peer.heard();
      Mail mail = peer.mail;
      int lost = sent - mail.received;
      if (lost > 0 && lost <= mail.allowed - mail.received) {
        mail.received = sent; // what was on its way when the connection broke never comes
      }
      oweCredit(mail);
    } catch (DescriptorFormatException | TransferRejectedException e) {
      worker.defect("a malformed greeting came from " + sender.toShortString() + ": " + e);
    }
  }

  /** The application has taken a message: its sender may send another one. */
  void taken(PeerLink peer) {
    peer.mail.untaken--;
    if (peer.loss() == null) {
      grant(peer);
    }
  }

  /**
   * Lets a peer send as much as there is room for; in halves, so that not every message costs a
   * frame, and never so that the sender waits for ever.
   */
  private void grant(PeerLink peer) {
    Mail mail = peer.mail;
    int more = due(mail) - mail.allowed;
    if (more > 0 && (more * 2 >= maxCredits || mail.allowed == mail.received)) {
      oweCredit(mail);
    }
  }

  private void oweCredit(Mail mail) {
    mail.creditDue = !closed;
    list(mail);
  }

  /** Up to which a peer may send: what it has sent, and the places that are free. */
  private int due(Mail mail) {
    return mail.received + maxCredits - mail.untaken;
  }

  void peerLost(PeerLink peer, PeerUnreachableException loss) {
    failOutgoing(peer.mail, loss);
    peer.mail.interrupted();
  }

  void close(RuntimeException reason) {
    closed = true;
    worker
        .peers()
        .forEach(peer -> {
          failOutgoing(peer.mail, reason);
          peer.states().close();
        });
    inbox.close();
  }

  private static void failOutgoing(Mail mail, RuntimeException reason) {
    Chain.Link<Mail.Outgoing> message;
    while ((message = mail.outgoing.first()) != null) {
      mail.outgoing.remove(message);
      message.member().answer.error(reason);
    }
  }

  void list(Mail mail) {
    if (!mail.listed && mail.hasWork()) {
      mail.listed = true;
      ready.addLast(mail);
    }
  }
}
