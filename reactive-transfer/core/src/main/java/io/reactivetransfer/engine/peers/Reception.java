package io.reactivetransfer.engine.peers;

import io.reactivetransfer.DescriptorFormatException;
import io.reactivetransfer.EngineId;
import io.reactivetransfer.PeerUnreachableException;
import io.reactivetransfer.TransferException.Origin;
import io.reactivetransfer.TransferRejectedException;
import io.reactivetransfer.engine.base.Defects;
import io.reactivetransfer.spi.PeerText;
import java.nio.ByteBuffer;

/**
 * Takes what peers say: greetings itself, everything else it leads to whoever has asked for its
 * kind. Belongs to the NIC thread.
 */
public final class Reception {

  private final Peers peers;
  private final Liveness liveness;
  private final Defects defects;
  private final FrameHandler[] handlers = new FrameHandler[ControlFrame.KINDS];

  /** Of one engine. */
  public Reception(Peers peers, Liveness liveness, Defects defects) {
    this.peers = peers;
    this.liveness = liveness;
    this.defects = defects;
    on(ControlFrame.ASK, Reception::asked);
    on(ControlFrame.ALIVE, (peer, frame) -> !frame.hasRemaining()); // that it came is all it says
    on(ControlFrame.DISMISSAL, this::dismissed);
    on(ControlFrame.FENCE, (peer, frame) -> peer.fences().received(ControlFrame.FENCE, frame));
    on(ControlFrame.FENCED, (peer, frame) -> peer.fences().received(ControlFrame.FENCED, frame));
  }

  /** Has frames of this kind taken by this part. */
  public void on(byte kind, FrameHandler handler) {
    handlers[kind] = handler;
  }

  /** A frame has come; it may hold anything. */
  void received(EngineId sender, ByteBuffer frame) {
    assert peers.commands().owner().isCurrent();
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
                ? ControlFrame.mayComeFromStrangers(kind, frame.remaining())
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

  /**
   * False if it does so too often: each time is a loss, which all are told who look at the peer.
   */
  private boolean forgottenBy(PeerLink peer, String why) {
    if (peer.mail.hasForgottenTooOften()) {
      String tooOften =
          "it has forgotten this engine more than " + Mail.MAX_FORGETS + " times in a row";
      defects.report("engine " + peer.id().toShortString() + " is given up: " + tooOften);
      liveness.giveUp(peer, tooOften);
      return false;
    }
    String text = "peer " + peer + " has forgotten this engine: " + why;
    peers.lose(peer, new PeerUnreachableException(text, Origin.peer(peer.id()), null));
    return true;
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
      if (!mail.isBroken() && !forgottenBy(peer, "it greets as if for the first time")) {
        return;
      }
      peers.begunAnew(peer);
    }
    peer.heard();
    if (mail.isMetAgain()) {
      // It may have gone on in the old session when that had ended here.
      peer.disconnect("a new session begins");
    }
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
    if (peer.isOpen()) {
      peers.opened(peer);
    }
  }
}
