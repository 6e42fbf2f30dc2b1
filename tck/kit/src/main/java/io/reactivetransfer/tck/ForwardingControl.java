package io.reactivetransfer.tck;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.HostPort;
import io.reactivetransfer.spi.ControlChannel;
import io.reactivetransfer.spi.ControlSink;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletionStage;

/** A control channel that does what another one does; the base of what changes one thing. */
public class ForwardingControl implements ControlChannel {

  /** Where everything goes that is not changed. */
  protected final ControlChannel inner;

  /** In front of this one. */
  public ForwardingControl(ControlChannel inner) {
    this.inner = inner;
  }

  @Override
  public HostPort address() {
    return inner.address();
  }

  @Override
  public int maxMessageBytes() {
    return inner.maxMessageBytes();
  }

  @Override
  public boolean send(EngineId to, HostPort at, ByteBuffer bytes) {
    return inner.send(to, at, bytes);
  }

  @Override
  public void find(long token, HostPort at) {
    inner.find(token, at);
  }

  @Override
  public void disconnect(EngineId peer, String reason) {
    inner.disconnect(peer, reason);
  }

  @Override
  public int poll(ControlSink sink) {
    return inner.poll(sink);
  }

  @Override
  public void close() {
    inner.close();
  }

  @Override
  public CompletionStage<Void> closed() {
    return inner.closed();
  }
}
