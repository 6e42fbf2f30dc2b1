package io.reactivetransfer.tck;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.spi.ControlSink;
import java.nio.ByteBuffer;

/** Passes on what a control channel found; the base of what changes one thing. */
public class ForwardingControlSink implements ControlSink {

  /** Where everything goes that is not changed. */
  protected final ControlSink inner;

  /** In front of this one. */
  public ForwardingControlSink(ControlSink inner) {
    this.inner = inner;
  }

  @Override
  public void received(EngineId sender, ByteBuffer bytes) {
    inner.received(sender, bytes);
  }

  @Override
  public void found(long token, EngineId peer) {
    inner.found(token, peer);
  }

  @Override
  public void notFound(long token, int code, String text) {
    inner.notFound(token, code, text);
  }

  @Override
  public void peerLost(EngineId peer, int code, String text) {
    inner.peerLost(peer, code, text);
  }

  @Override
  public void channelFailed(int code, String text) {
    inner.channelFailed(code, text);
  }
}
