package io.reactivetransfer.staging;

import io.reactivetransfer.spi.BackendException;
import io.reactivetransfer.spi.RemotePeer;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;

/** Leads what peers say to where it belongs. */
final class Reception {

  private final Nics nics;
  private final Windows windows;
  private final Outbound outbound;

  Reception(Nics nics, Windows windows, Outbound outbound) {
    this.nics = nics;
    this.windows = windows;
    this.outbound = outbound;
  }

  /** What is not understood is dropped, or ends what the peer was granted. */
  void heard(StagedPeer peer, ByteBuffer message) {
    try {
      byte kind = message.get();
      switch (kind) {
        case Messages.CARRY -> carried(peer, message);
        case Messages.OPEN -> windows.asked(peer, message);
        case Messages.GIVE_BACK -> windows.givenBack(peer, message.getLong());
        default -> {
          long id = message.getLong();
          OutWindow window = OutWindows.find(peer, id);
          if (window != null) {
            heardOf(window, kind, message);
          } else if (kind == Messages.ASK_BACK) { // it was ended here, and others need it
            nics.say(peer, Messages.of(Messages.GIVE_BACK, id));
          }
        }
      }
    } catch (BufferUnderflowException e) {
      // it is shorter than it says
    }
  }

  private void carried(StagedPeer peer, ByteBuffer message) {
    RemotePeer second = peer.second();
    if (second != null) {
      nics.second().domain().fromPeer(second, message);
    }
  }

  private void heardOf(OutWindow window, byte kind, ByteBuffer message) {
    window.heardNanos = nics.clock().now();
    switch (kind) {
      case Messages.GRANT -> granted(window, message);
      case Messages.DENY -> outbound.denied(window, new Failure(0, Messages.text(message)));
      case Messages.REFUSED -> refused(window, message);
      case Messages.ASK_BACK -> outbound.windows().askedBack(window);
      case Messages.END -> {
        Failure why = new Failure(0, "the peer took no more: " + Messages.text(message));
        outbound.windows().end(window);
        outbound.abandon(window, why);
      }
      default -> {} // that it was heard is all there is to say
    }
  }

  private void granted(OutWindow window, ByteBuffer message) {
    try {
      outbound.windows().granted(window, message);
    } catch (BackendException | BufferUnderflowException e) {
      Failure why = Failure.of("the peer has granted buffers that make no sense: ", e);
      outbound.denied(window, why);
    }
  }

  private void refused(OutWindow window, ByteBuffer message) {
    int index = message.get();
    long number = message.getLong();
    boolean retired = message.get() != 0;
    int code = message.getInt();
    if (index >= 0 && index < OutWindow.SLOTS) {
      Failure why = new Failure(code, Messages.text(message));
      outbound.refused(window.slots[index], number, retired, why);
    }
  }
}
