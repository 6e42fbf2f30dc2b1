package io.reactivetransfer.staging;

import io.reactivetransfer.spi.BackendException;
import io.reactivetransfer.spi.Domain;
import io.reactivetransfer.spi.RemotePeer;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** The windows that peers have granted: asked for when there is something to write. */
final class OutWindows {

  private final Nics nics;

  OutWindows(Nics nics) {
    this.nics = nics;
  }

  /** A slot for a piece to this memory; null if there is none now. Asks for a window. */
  @Nullable OutSlot slot(StagedTarget target) {
    StagedPeer peer = target.peer();
    OutWindow window = peer.outWindow;
    if (window != null && (window.isDraining || window.isUsedUp()) && window.isGranted) {
      giveBackIfIdle(window);
      window = peer.outWindow;
    }
    if (window == null) {
      ask(target);
      return null;
    }
    return window.isGranted && !window.isDraining ? window.free() : null;
  }

  private void ask(StagedTarget target) {
    SecondNic second = nics.second();
    second.open();
    if (second.isOpen()) {
      StagedPeer peer = target.peer();
      OutWindow window = new OutWindow(nics, peer, target.key());
      peer.outWindow = window;
      byte[] notesKey = second.notes().key();
      nics.say(peer, Messages.open(window, notesKey, second.domain().address()));
    }
  }

  /** The one with this id that a peer has, or was asked for; null if that is another. */
  static @Nullable OutWindow find(StagedPeer peer, long id) {
    OutWindow window = peer.outWindow;
    return window != null && window.id == id ? window : null;
  }

  /**
   * A peer grants one.
   *
   * @throws BackendException if what it says makes no sense
   */
  void granted(OutWindow window, ByteBuffer message) {
    if (window.isGranted) {
      throw new BackendException(0, "expected one grant of a window, got two");
    }
    Domain second = nics.second().domain();
    RemotePeer peer = window.peer.second(second, Messages.bytes(message));
    int count = message.get();
    if (count < 1 || count > OutWindow.SLOTS) {
      throw new BackendException(
          0, "expected a window of 1 to " + OutWindow.SLOTS + " slots, got " + count);
    }
    for (int i = 0; i < count; i++) {
      OutSlot slot = window.slots[i];
      slot.imm = message.getInt();
      int bytes = Frame.BYTES + Pinned.MOST_BYTES;
      slot.memory = second.resolve(peer, Messages.bytes(message), bytes);
    }
    window.isGranted = true;
    window.peer.progressNanos = nics.clock().now();
  }

  /** A peer wants one back. */
  void askedBack(OutWindow window) {
    window.isDraining = true;
    giveBackIfIdle(window);
  }

  private void giveBackIfIdle(OutWindow window) {
    if (window.isIdle()) {
      nics.say(window.peer, Messages.of(Messages.GIVE_BACK, window.id));
      end(window);
    }
  }

  /** A piece in it has come to its end. */
  void pieceEnded(OutWindow window) {
    if (window.isOver) {
      releaseIfIdle(window);
    } else if (window.isDraining) {
      giveBackIfIdle(window);
    }
  }

  /** It is over with pieces on their way, which the peer takes no more when it hears of it. */
  void giveUp(OutWindow window) {
    if (!window.isOver) {
      nics.say(window.peer, Messages.of(Messages.GIVE_BACK, window.id));
      end(window);
    }
  }

  /** It is over. */
  void end(OutWindow window) {
    if (!window.isOver) {
      window.end(nics);
      window.peer.outWindow = null;
      releaseIfIdle(window);
    }
  }

  private void releaseIfIdle(OutWindow window) {
    if (window.isIdle()) {
      window.release(nics.second().domain());
    }
  }

  /** Has the NICs end what is on its way to a peer. */
  void cutOff(StagedPeer peer, String text) {
    var _ = nics.main().disconnect(peer.main(), text);
    RemotePeer second = peer.second();
    if (second != null) {
      var _ = nics.second().domain().disconnect(second, text);
    }
  }
}
