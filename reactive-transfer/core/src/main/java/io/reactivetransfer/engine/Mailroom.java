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
 * All frames to a peer go over the first NIC, so that they keep their order. Belongs to the worker.
 */
final class Mailroom {

  /** More credit than this is not believed. */
  private static final int MAX_CREDITS = 1 << 16;

  private final Worker worker;
  private final int maxCredits;
  private final Inbox inbox;
  private final ArrayDeque<Mail> ready = new ArrayDeque<>();
  private boolean closed;

  Mailroom(Worker worker, int maxCredits) {
    this.worker = worker;
    this.maxCredits = maxCredits;
    this.inbox = new Inbox(worker);
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
    peer.mail.outgoing.add(message);
    answer.onCancel(() -> worker.execute(() -> peer.mail.outgoing.remove(message)));
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
        mail.owed = 0;
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
      if (!post(mail, ControlFrame.hello(worker.address()))) {
        return sent;
      }
      mail.greeted = true;
      sent++;
    }
    if (mail.owed > 0) {
      if (!post(mail, ControlFrame.credit(mail.owed))) {
        return sent;
      }
      mail.granted += mail.owed;
      mail.owed = 0;
      sent++;
    }
    Mail.Outgoing message;
    while (mail.credits > 0 && (message = mail.outgoing.peek()) != null) {
      if (!post(mail, message.frame())) {
        return sent;
      }
      mail.outgoing.remove();
      mail.credits--;
      sent++;
      message.answer().success();
    }
    return sent;
  }

  private boolean post(Mail mail, ByteBuffer frame) {
    return worker.nics().domains()[0].send(mail.peer.remote(0), frame);
  }

  /** A frame has come; it may hold anything. */
  void received(EngineId sender, ByteBuffer frame) {
    PeerLink peer = worker.peers().find(sender);
    byte kind = frame.hasRemaining() ? frame.get() : 0;
    if (kind == ControlFrame.HELLO) {
      hello(sender, frame);
    } else if (peer == null) {
      worker.defect("a control message came from an unknown engine " + sender.toShortString());
    } else if (kind == ControlFrame.CREDIT && frame.remaining() == Integer.BYTES) {
      peer.alive();
      int more = Math.clamp(frame.getInt(), 0, MAX_CREDITS);
      peer.mail.credits = Math.min(MAX_CREDITS, peer.mail.credits + more);
      list(peer.mail);
    } else if (kind == ControlFrame.MESSAGE && peer.mail.granted > 0) {
      peer.alive();
      peer.mail.granted--;
      peer.mail.untaken++;
      byte[] content = new byte[frame.remaining()];
      frame.get(content);
      inbox.put(new Message(peer, ByteBuffer.wrap(content)));
    } else {
      worker.defect("a malformed or unsolicited control message came from " + peer);
    }
  }

  private void hello(EngineId sender, ByteBuffer frame) {
    byte[] bytes = new byte[frame.remaining()];
    frame.get(bytes);
    try {
      PeerAddress address = PeerAddress.fromBytes(bytes);
      if (!address.engine().equals(sender)) {
        throw new DescriptorFormatException("it names another engine");
      }
      PeerLink peer = worker.peers().of(address);
      peer.alive();
      peer.mail.granted = 0;
      peer.mail.owed = Math.max(0, maxCredits - peer.mail.untaken);
      list(peer.mail);
    } catch (DescriptorFormatException | TransferRejectedException e) {
      worker.defect("a malformed greeting came from " + sender.toShortString() + ": " + e);
    }
  }

  /** The application has taken a message: its sender may send another one. */
  void taken(PeerLink peer) {
    Mail mail = peer.mail;
    mail.untaken--;
    int due = maxCredits - mail.untaken - mail.granted;
    // in halves, so that not every message costs a frame; and never so that the sender waits for
    // ever
    if (!closed && peer.loss() == null && (due * 2 >= maxCredits || mail.granted == 0)) {
      mail.owed = Math.max(0, due);
      list(mail);
    }
  }

  void peerLost(PeerLink peer, PeerUnreachableException loss) {
    failOutgoing(peer.mail, loss);
    peer.mail.reset();
  }

  void close(RuntimeException reason) {
    closed = true;
    worker.peers().forEach(peer -> failOutgoing(peer.mail, reason));
    inbox.close();
  }

  private static void failOutgoing(Mail mail, RuntimeException reason) {
    Mail.@Nullable Outgoing message;
    while ((message = mail.outgoing.poll()) != null) {
      message.answer().error(reason);
    }
  }

  private void list(Mail mail) {
    if (!mail.listed && mail.hasWork() && !closed) {
      mail.listed = true;
      ready.addLast(mail);
    }
  }
}
