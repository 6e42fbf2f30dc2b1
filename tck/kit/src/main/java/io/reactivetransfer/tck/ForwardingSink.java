package io.reactivetransfer.tck;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.spi.CompletionSink;
import io.reactivetransfer.spi.RemotePeer;
import java.nio.ByteBuffer;

/** Passes on what a NIC found; the base of what changes one thing. */
public class ForwardingSink implements CompletionSink {

  /** Where everything goes that is not changed. */
  protected final CompletionSink inner;

  /** In front of this one. */
  public ForwardingSink(CompletionSink inner) {
    this.inner = inner;
  }

  @Override
  public void written(long token) {
    inner.written(token);
  }

  @Override
  public void written(long token, int writes) {
    inner.written(token, writes);
  }

  @Override
  public void failed(long token, int code, String text) {
    inner.failed(token, code, text);
  }

  @Override
  public void refused(long token, int code, String text) {
    inner.refused(token, code, text);
  }

  @Override
  public void immArrived(int imm, long bytes) {
    inner.immArrived(imm, bytes);
  }

  @Override
  public void immArrived(EngineId origin, int imm, long bytes) {
    inner.immArrived(origin, imm, bytes);
  }

  @Override
  public void toPeer(RemotePeer peer, ByteBuffer message) {
    inner.toPeer(peer, message);
  }

  @Override
  public void peerLost(EngineId peer, int code, String text) {
    inner.peerLost(peer, code, text);
  }

  @Override
  public void nicFailed(int code, String text) {
    inner.nicFailed(code, text);
  }
}
