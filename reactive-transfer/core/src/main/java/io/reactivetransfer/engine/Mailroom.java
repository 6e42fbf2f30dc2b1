package io.reactivetransfer.engine;

import io.reactivetransfer.DescriptorFormatException;
import io.reactivetransfer.EngineId;
import io.reactivetransfer.MessageChannel;
import io.reactivetransfer.PeerUnreachableException;
import io.reactivetransfer.TransferException.Origin;
import io.reactivetransfer.TransferRejectedException;
import io.reactivetransfer.engine.base.Admission;
import io.reactivetransfer.engine.base.Answer;
import io.reactivetransfer.spi.PeerText;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Sends and receives control messages. A sender holds credit for every message that it may send;
 * the receiver grants it when it hears of the sender, and again as its application takes messages.
 * Belongs to the worker.
 */
final class Mailroom {

  private final Worker worker;
  private final Inbox[] inboxes = new Inbox[MessageChannel.MAX_NUMBER + 1];
  private final Messages messages;
  private final InboxRoom room = new InboxRoom();
  private final AbortMail aborts;
  private final ArrayDeque<Mail> ready = new ArrayDeque<>();
  private boolean closed;

  Mailroom(Worker worker) {
    this.worker = worker;
    Arrays.setAll(inboxes, channel -> new Inbox(worker, taken(channel)));
    this.messages = new Messages(worker.options(), room, inboxes, this::list);
    this.aborts = new AbortMail(worker, this);
  }

  private BiConsumer<PeerLink, Integer> taken(int channel) {
    return (sender, bytes) -> worker.execute(() -> messages.taken(sender, channel, bytes));
  }

  Inbox inbox(MessageChannel channel) {
    return inboxes[channel.number()];
  }

  InboxRoom room() {
    return room;
  }

  /** Takes a message over, to be sent when there is credit. */
  void send(PeerLink peer, MessageChannel channel, ByteBuffer frames, Answer<Void> answer) {
    if (closed) {
      answer.error(Admission.closedError());
    } else if (!answer.isOver()) { // else withdrawn before it came here
      Runnable withdraw = messages.send(peer.mail, channel, frames, answer);
      answer.onCancel(() -> worker.execute(withdraw));
    }
  }

  /** Sends what the NIC takes; returns the number of frames. */
  int flush() {
    worker.peers().sweepIfDue();
    int sent = 0;
    for (int turns = ready.size(); turns > 0; turns--) {
      Mail mail = ready.removeFirst();
      mail.listed = false;
      try {
        sent += flush(mail);
      } catch (TransferRejectedException e) {
        Messages.fail(mail, e);
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
    if (!mail.greeted && mail.hasWork()) {
      if (mail.peer.fences().areOpen(worker.nics())) {
        return sent; // who is greeted begins anew, and nothing of before may come after that
      }
      if (!post(mail, greeting(mail))) {
        return sent;
      }
      mail.greeted = true;
      mail.nicsDue = worker.nics().failed() != 0;
      sent++;
    }
    if (mail.canSend()) {
      mail.peer.givenUp.tellAll(); // a message comes after all that was given up before it
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
    return mail.holdsAborts() ? sent : sent + messages.flush(mail, frame -> post(mail, frame));
  }

  private ByteBuffer greeting(Mail mail) {
    return mail.greeting(worker.address(), worker.options().maxMessageBytes(), worker.ownNics());
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
      return messages.flushCredit(mail, frame -> post(mail, frame));
    }
    if (mail.hasEntries()) {
      if (!post(mail, mail.barriers.next(mail.theirEpoch()))) {
        return false;
      }
      mail.barriers.posted();
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
    if (!mail.canTellAborts()) {
      return flushDismissal(mail);
    }
    if (!post(mail, ControlFrame.abort(peer.givenUp.next(), mail.theirEpoch()))) {
      return false;
    }
    peer.givenUp.sent(worker.youngestSubmission());
    return true;
  }

  private boolean flushDismissal(Mail mail) {
    String dismissal = mail.dismissal;
    if (mail.peer.loss() == null && !mail.peer.givenUp.isSettled()) {
      mail.dismissal = null; // it has to take something back first, and says when it has
      return true;
    }
    if (dismissal != null && !post(mail, ControlFrame.dismissal(dismissal))) {
      return false;
    }
    worker.peers().forget(mail.peer);
    return true;
  }

  private boolean post(Mail mail, ByteBuffer frame) {
    return worker.control().send(mail.peer, frame);
  }

  /** Greets a peer, so that it greets in turn, and can be written to. */
  void greet(PeerLink peer) {
    peer.used();
    peer.mail.greetingWanted = true;
    list(peer.mail);
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

  /** Tells a peer that the next round of a barrier was entered here. */
  void enterBarrier(PeerLink peer, EngineId group) {
    peer.mail.barriers.add(group);
    peer.mail.releaseEntries();
    list(peer.mail);
  }

  /** Tells a peer that it is forgotten, and then forgets it, unless it is lost before. */
  void dismiss(PeerLink peer, String reason) {
    peer.mail.dismissal = reason;
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
      if (peer.mail.abortsHeardInDoubt) {
        peer.mail.abortsHeardInDoubt = false;
        peer.mail.abortsHeardDue = true;
        list(peer.mail);
      }
      if (peer.givenUp.wake()) {
        list(peer.mail);
      }
      peer.mail.releaseEntries();
      list(peer.mail);
    }
    switch (frame.hasRemaining() ? frame.get() : 0) {
      case ControlFrame.HELLO -> hello(sender, frame);
      case ControlFrame.ABORT -> aborts.told(sender, peer, frame);
      case ControlFrame.ABORTED -> aborts.acknowledged(sender, peer, frame);
      case ControlFrame.CLEARED -> aborts.cleared(sender, peer, frame);
      case ControlFrame.CREDIT -> {
        if (peer == null || !messages.credited(peer.mail, frame)) {
          malformed(sender);
        }
      }
      case ControlFrame.MESSAGE -> {
        if (peer == null || !messages.received(peer.mail, frame)) {
          malformed(sender);
        }
      }
      case ControlFrame.ASK -> {
        if (frame.hasRemaining()) {
          malformed(sender);
        } else if (peer != null) {
          peer.mail.answerDue = true;
          list(peer.mail);
        }
      }
      case ControlFrame.NICS_FAILED -> {
        if (peer == null || frame.remaining() != 1) {
          malformed(sender);
        } else {
          worker.nicFailures().peerSays(peer, Byte.toUnsignedInt(frame.get()));
        }
      }
      case ControlFrame.NIC_MESSAGE -> worker.nicMessages().heard(sender, peer, frame);
      case ControlFrame.FENCE, ControlFrame.FENCED ->
          way(sender, peer, frame.get(frame.position() - 1), frame);
      case ControlFrame.USES, ControlFrame.REVOKE, ControlFrame.STOPPED ->
          region(sender, peer, frame.get(frame.position() - 1), frame);
      case ControlFrame.BARRIER -> barrier(sender, peer, frame);
      case ControlFrame.DISMISSAL -> dismissed(peer, frame);
      case ControlFrame.ALIVE -> {
        if (frame.hasRemaining()) { // that it came is all that it may say
          malformed(sender);
        }
      }
      default -> malformed(sender);
    }
  }

  private void region(EngineId sender, @Nullable PeerLink peer, byte kind, ByteBuffer frame) {
    if (peer == null || frame.remaining() != Long.BYTES) {
      malformed(sender);
      return;
    }
    long number = frame.getLong();
    switch (kind) {
      case ControlFrame.USES -> worker.revocations().uses(peer, number);
      case ControlFrame.STOPPED -> worker.revocations().stopped(peer, number);
      default -> worker.flights().revoked(peer, number);
    }
  }

  private void way(EngineId sender, @Nullable PeerLink peer, byte kind, ByteBuffer frame) {
    int theirs = frame.remaining() == 2 ? frame.get() : -1;
    int ours = theirs < 0 ? -1 : frame.get();
    if (peer == null
        || theirs < 0
        || theirs >= peer.nics()
        || ours < 0
        || ours >= worker.nics().size()) {
      malformed(sender);
    } else if (kind == ControlFrame.FENCED) {
      peer.fences().shut(ours);
    } else {
      try {
        peer.fences().asked(worker, ours, theirs);
      } catch (RuntimeException e) { // the peer greets with addresses as it likes
        malformed(sender);
      }
    }
  }

  private void barrier(EngineId sender, @Nullable PeerLink peer, ByteBuffer frame) {
    if (frame.remaining() != EngineId.BYTES + 3 * Integer.BYTES) {
      malformed(sender);
      return;
    }
    EngineId group = new EngineId(frame.getLong(), frame.getLong());
    int epoch = frame.getInt();
    if (peer == null || peer.mail.theirEpoch() == 0 || (epoch != 0 && epoch != peer.mail.epoch())) {
      return; // meant for who we were to it before; it says so again when it has learned of us
    }
    BarrierEntries entries = peer.mail.barriers;
    int number = frame.getInt();
    entries.acknowledge(frame.getInt());
    if (entries.isNext(number)) {
      worker.barriers().entered(group, peer);
    }
  }

  /** The peer has forgotten us, and what was on its way to it: that is as good as a loss. */
  private void dismissed(@Nullable PeerLink peer, ByteBuffer frame) {
    if (peer != null) {
      forgottenBy(peer, PeerText.of(frame));
    }
  }

  private void forgottenBy(PeerLink peer, String why) {
    String text = "peer " + peer + " has forgotten this engine: " + why;
    worker.peerLost(peer, new PeerUnreachableException(text, Origin.peer(peer.id()), null));
  }

  void malformed(EngineId sender) {
    worker.defect(
        "a malformed or unsolicited control message came from engine " + sender.toShortString());
  }

  private void hello(EngineId sender, ByteBuffer frame) {
    try {
      Greeting greeting = Greeting.read(frame);
      if (!greeting.address().engine().equals(sender)) {
        throw new DescriptorFormatException("it names another engine");
      }
      PeerLink peer = worker.peers().of(greeting.address());
      Mail mail = peer.mail;
      if (mail.theirEpoch() != 0 && mail.theirEpoch() != greeting.epoch()) {
        begunAnew(peer);
      }
      peer.heard();
      mail.greetedBy(greeting.epoch(), greeting.known(), greeting.longest());
      list(mail);
      worker.flights().opened(peer, greeting.nics());
    } catch (DescriptorFormatException | TransferRejectedException e) {
      worker.defect("a malformed greeting came from " + sender.toShortString() + ": " + e);
    }
  }

  /** The peer has forgotten us, and greets as if for the first time. */
  private void begunAnew(PeerLink peer) {
    if (!peer.mail.isBroken()) {
      forgottenBy(peer, "it greets as if for the first time");
    }
    worker.flights().aborts().begunAnew(peer);
    PeerUnreachableException loss = peer.loss();
    worker
        .barriers()
        .forget(
            peer,
            loss != null
                ? loss
                : new PeerUnreachableException(
                    "peer " + peer + " has begun anew", Origin.peer(peer.id()), null));
  }

  void peerLost(PeerLink peer, PeerUnreachableException loss) {
    Messages.fail(peer.mail, loss);
    peer.mail.interrupted();
    room.forgive(peer.mail);
  }

  /** A peer is forgotten. */
  void forgotten(PeerLink peer) {
    room.forgive(peer.mail);
  }

  void close(RuntimeException reason) {
    closed = true;
    worker
        .peers()
        .forEachKnown(peer -> {
          Messages.fail(peer.mail, reason);
          peer.states().close();
        });
    for (Inbox inbox : inboxes) {
      inbox.close();
    }
  }

  void list(Mail mail) {
    if (!mail.listed && mail.hasWork()) {
      mail.listed = true;
      ready.addLast(mail);
    }
  }
}
