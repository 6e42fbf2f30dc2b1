package io.reactivetransfer.tck;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.HostPort;
import io.reactivetransfer.spi.Backend;
import io.reactivetransfer.spi.ControlChannel;
import io.reactivetransfer.spi.ControlContext;
import io.reactivetransfer.spi.ControlSink;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletionStage;
import java.util.function.BiFunction;
import java.util.function.UnaryOperator;

/** A control channel that does what another one does; the base of what changes one thing. */
class ForwardingControl implements ControlChannel {

  final ControlChannel inner;

  ForwardingControl(ControlChannel inner) {
    this.inner = inner;
  }

  /** This backend, with a wrapper around each control channel. */
  static Backend before(
      Backend backend, BiFunction<ControlChannel, ControlContext, ControlChannel> wrapper) {
    return before(backend, context -> context, wrapper);
  }

  /** The same, opened with another context. */
  static Backend before(
      Backend backend,
      UnaryOperator<ControlContext> context,
      BiFunction<ControlChannel, ControlContext, ControlChannel> wrapper) {
    return new ForwardingBackend(backend, (domain, _) -> domain) {
      @Override
      public CompletionStage<ControlChannel> openControl(ControlContext given) {
        return super.openControl(context.apply(given))
            .thenApply(channel -> wrapper.apply(channel, given));
      }
    };
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

  /** Passes on what a channel found. */
  static class Sink implements ControlSink {
    final ControlSink to;

    Sink(ControlSink to) {
      this.to = to;
    }

    @Override
    public void received(EngineId sender, ByteBuffer bytes) {
      to.received(sender, bytes);
    }

    @Override
    public void found(long token, EngineId peer) {
      to.found(token, peer);
    }

    @Override
    public void notFound(long token, int code, String text) {
      to.notFound(token, code, text);
    }

    @Override
    public void peerLost(EngineId peer, int code, String text) {
      to.peerLost(peer, code, text);
    }

    @Override
    public void channelFailed(int code, String text) {
      to.channelFailed(code, text);
    }
  }
}
