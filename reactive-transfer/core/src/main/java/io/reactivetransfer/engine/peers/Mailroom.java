package io.reactivetransfer.engine.peers;

import io.reactivetransfer.DescriptorFormatException;
import io.reactivetransfer.EngineId;
import io.reactivetransfer.EngineOptions;
import io.reactivetransfer.MessageChannel;
import io.reactivetransfer.PeerUnreachableException;
import io.reactivetransfer.TransferException.Origin;
import io.reactivetransfer.TransferRejectedException;
import io.reactivetransfer.engine.base.Admission;
import io.reactivetransfer.engine.base.Answer;
import io.reactivetransfer.engine.base.Commands;
import io.reactivetransfer.engine.base.Defects;
import io.reactivetransfer.engine.base.Nics;
import io.reactivetransfer.spi.PeerText;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.List;
import java.util.function.BiConsumer;

/**
 * Sends and receives control messages. A sender holds credit for every message that it may send;
 * the receiver grants it when it hears of the sender, and again as its application takes messages.
 * Belongs to the NIC thread.
 */
public final class Mailroom implements PeerEvents {

  private final Peers peers;
  private final Control control;
  private final Liveness liveness;
  private final Nics nics;
  private final List<PeerNic> ownNics;
  private final EngineOptions options;
  private final Commands commands;
  private final Defects defects;
  private final FrameHandler[] handlers = new FrameHandler[ControlFrame.KINDS];
  private final Inbox[] inboxes = new Inbox[MessageChannel.MAX_NUMBER + 1];
  private final Messages messages;
  private final InboxRoom room = new InboxRoom();
  private boolean closed;

  /**
   * For one engine.
   *
   * @param ownNics what others are told of its NICs
   */
  public Mailroom(
      Peers peers,
      Control control,
      Liveness liveness,
      List<PeerNic> ownNics,
      EngineOptions options,
      Admission admission,
      Defects defects) {
    this.peers = peers;
    this.control = control;
    this.liveness = liveness;
    this.nics = peers.nics();
    this.ownNics = ownNics;
    this.options = options;
    this.commands = peers.commands();
    this.defects = defects;
    Arrays.setAll(inboxes, channel -> new Inbox(peers.signals(), admission, taken(channel)));
    this.messages = new Messages(options, room, inboxes);
    on(ControlFrame.CREDIT, (peer, frame) -> messages.credited(peer.mail, frame));
    on(ControlFrame.MESSAGE, (peer, frame) -> messages.received(peer.mail, frame));
    on(ControlFrame.ASK, Mailroom::asked);
    on(ControlFrame.ALIVE, (peer, frame) -> !frame.hasRemaining()); // that it came is all it says
    on(ControlFrame.DISMISSAL, this::dismissed);
    on(ControlFrame.FENCE, (peer, frame) -> peer.fences().received(ControlFrame.FENCE, frame));
    on(ControlFrame.FENCED, (peer, frame) -> peer.fences().received(ControlFrame.FENCED, frame));
  }

  /** Has frames of this kind taken by this part. */
  public void on(byte kind, FrameHandler handler) {
    handlers[kind] = handler;
  }

  private BiConsumer<PeerLink, Integer> taken(int channel) {
    return (sender, bytes) -> commands.execute(() -> messages.taken(sender, channel, bytes));
  }

  public Inbox inbox(MessageChannel channel) {
    return inboxes[channel.number()];
  }

  InboxRoom room() {
    return room;
  }

  /** Takes a message over, to be sent when there is credit. */
  public void send(PeerLink peer, MessageChannel channel, ByteBuffer frames, Answer<Void> answer) {
    if (closed) {
      answer.error(Admission.closedError());
    } else if (!answer.isOver()) { // else withdrawn before it came here
      Runnable withdraw = messages.send(peer.mail, channel, frames, answer);
      answer.onCancel(() -> commands.execute(withdraw));
    }
  }

  /** Sends what the NIC takes; returns the number of frames. */
  public int flush() {
    peers.sweepIfDue();
    ArrayDeque<Mail> ready = peers.ready();
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
      mail.nicsDue = nics.failed() != 0;
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
    return mail.holdsAborts() ? sent : sent + messages.flush(mail, frame -> post(mail, frame));
  }

  private ByteBuffer greeting(Mail mail) {
    return mail.greeting(peers.ownAddress(), options.maxMessageBytes(), ownNics);
  }

  /** Says one of the things that are due; false if the NIC refuses. */
  private boolean flushDue(Mail mail) {
    if (mail.answerDue) {
      mail.answerDue = !post(mail, ControlFrame.alive());
      return !mail.answerDue;
    }
    if (mail.nicsDue) {
      mail.nicsDue = !post(mail, ControlFrame.nicsFailed(nics.failed()));
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
    if (mail.peer.loss() == null && !mail.peer.outbound().isSettled()) {
      mail.dismissal = null; // it has to take something back first, and says when it has
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

  /** A frame has come; it may hold anything. */
  void received(EngineId sender, ByteBuffer frame) {
    PeerLink peer = peers.find(sender);
    if (peer != null) {
      peer.heard();
      peer.mail.heard();
    }
    int kind = frame.hasRemaining() ? frame.get() : 0;
    if (kind == ControlFrame.HELLO) {
      hello(sender, frame);
      return;
    }
    FrameHandler handler = kind < 0 || kind >= handlers.length ? null : handlers[kind];
    boolean fits =
        handler != null
            && (peer == null
                ? ControlFrame.mayComeFromStrangers(kind)
                : handler.received(peer, frame));
    if (!fits) {
      defects.report(
          "a malformed or unsolicited control message came from engine " + sender.toShortString());
    }
  }

  private static boolean asked(PeerLink peer, ByteBuffer frame) {
    if (frame.hasRemaining()) {
      return false;
    }
    peer.mail.answer();
    return true;
  }

  /** The peer has forgotten us, and what was on its way to it: that is as good as a loss. */
  private boolean dismissed(PeerLink peer, ByteBuffer frame) {
    forgottenBy(peer, PeerText.of(frame));
    return true;
  }

  private void forgottenBy(PeerLink peer, String why) {
    String text = "peer " + peer + " has forgotten this engine: " + why;
    peers.lose(peer, new PeerUnreachableException(text, Origin.peer(peer.id()), null));
  }

  private void hello(EngineId sender, ByteBuffer frame) {
    try {
      Greeting greeting = Greeting.read(frame);
      if (!greeting.address().engine().equals(sender)) {
        throw new DescriptorFormatException("it names another engine");
      }
      greetedBy(peers.of(greeting.address()), greeting);
    } catch (DescriptorFormatException | TransferRejectedException e) {
      defects.report("a malformed greeting came from " + sender.toShortString() + ": " + e);
    }
  }

  private void greetedBy(PeerLink peer, Greeting greeting) {
    Mail mail = peer.mail;
    if (mail.theirEpoch() != 0 && mail.theirEpoch() != greeting.epoch()) {
      if (!mail.isBroken()) {
        forgottenBy(peer, "it greets as if for the first time");
      }
      peers.begunAnew(peer);
    }
    peer.heard();
    mail.greetedBy(greeting.epoch(), greeting.known(), greeting.longest());
    mail.list();
    if (!peer.introduce(greeting.nics())) {
      defects.report("peer " + peer + " says now that it has " + greeting.nics().size() + " NICs");
      return;
    }
    try {
      peer.resolve(); // also if nothing waits, so that it can be given up
    } catch (TransferRejectedException e) {
      defects.report(String.valueOf(e.getMessage()));
    }
    peers.opened(peer);
  }

  @Override
  public void lost(PeerLink peer, PeerUnreachableException loss) {
    Messages.fail(peer.mail, loss);
    peer.mail.interrupted();
    room.forgive(peer.mail);
  }

  @Override
  public void forgotten(PeerLink peer, PeerUnreachableException reason) {
    room.forgive(peer.mail);
  }

  public void close(RuntimeException reason) {
    closed = true;
    peers.forEachKnown(peer -> {
      Messages.fail(peer.mail, reason);
      peer.states().close();
    });
    for (Inbox inbox : inboxes) {
      inbox.close();
    }
  }
}
