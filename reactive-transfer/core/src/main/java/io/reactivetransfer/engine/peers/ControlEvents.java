package io.reactivetransfer.engine.peers;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.PeerUnreachableException;
import io.reactivetransfer.TransferException.Origin;
import io.reactivetransfer.spi.BackendException;
import io.reactivetransfer.spi.ControlSink;
import java.nio.ByteBuffer;
import java.util.function.Consumer;

/** Leads what the control channel says to where it belongs. Belongs to the NIC thread. */
public final class ControlEvents implements ControlSink {

  private final Control control;
  private final Peers peers;
  private final Reception reception;
  private final Consumer<Throwable> failed;

  /**
   * For one engine.
   *
   * @param failed told why the channel is of no use any more
   */
  public ControlEvents(
      Control control, Peers peers, Reception reception, Consumer<Throwable> failed) {
    this.control = control;
    this.peers = peers;
    this.reception = reception;
    this.failed = failed;
  }

  /** Has the channel say what it knows; returns how much that was. */
  public int poll() {
    return control.poll(this);
  }

  @Override
  public void received(EngineId sender, ByteBuffer bytes) {
    reception.received(sender, bytes);
  }

  @Override
  public void found(long token, EngineId id) {
    control.found(token, id);
  }

  @Override
  public void notFound(long token, int code, String text) {
    control.notFound(token, code, text);
  }

  @Override
  public void peerLost(EngineId id, int code, String text) {
    PeerLink peer = peers.find(id);
    if (peer == null) {
      peers.strangerLost(id);
      return;
    }
    peer.disconnect(text);
    peers.lose(
        peer,
        new PeerUnreachableException(
            "peer " + peer + " cannot be reached: " + text, new Origin(id, null, code), null));
  }

  @Override
  public void channelFailed(int code, String text) {
    failed.accept(new BackendException(code, "the control channel failed: " + text));
  }
}
