package io.reactivetransfer.control;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.socket.SocketChannel;
import io.reactivetransfer.EngineId;
import io.reactivetransfer.control.socket.ErrorCode;
import io.reactivetransfer.control.socket.Failure;
import io.reactivetransfer.control.socket.ProtocolException;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;
import reactor.util.Logger;
import reactor.util.Loggers;

/** A connection that another engine has made, or someone who says so. */
final class Accepted extends Connection {

  private static final Logger LOG = Loggers.getLogger(Accepted.class);

  private @Nullable AcceptHandshake handshake;
  private @Nullable EngineId peer;

  Accepted(Sessions sessions) {
    super(sessions);
  }

  /** Someone has connected; with TLS, there is a handshake of that before ours. */
  void takeOver(SocketChannel channel) {
    handle(channel);
    begin(channel.remoteAddress().getAddress());
  }

  /** Ends at once if too many have come from this address; or when the handshake takes too long. */
  void begin(InetAddress from) {
    Failure refusedBecause = sessions().admit(this, from);
    if (refusedBecause != null) {
      LOG.debug("a connection from {} was turned away: {}", from, refusedBecause.text());
      shut();
      return;
    }
    openWithin(
        sessions().connectNanos(),
        () -> end(ErrorCode.TIMEOUT.because("no complete handshake in time from " + where())));
  }

  @Override
  public boolean isDialledHere() {
    return false;
  }

  @Override
  public long number() {
    return requireHandshake().hello().number();
  }

  @Override
  public void channelActive(ChannelHandlerContext ctx) {
    if (phase() == Phase.ENDED) {
      return;
    }
    enter(Phase.HANDSHAKE);
    ctx.fireChannelActive();
    try {
      handshake =
          new AcceptHandshake(
              sessions().credentials(),
              binding(),
              sessions().backend(),
              sessions().maxMessageBytes(),
              (dialled, address) -> sessions().isOwn(dialled, address, ctx.channel()));
    } catch (ProtocolException e) {
      end(e.code().because(where() + ": " + e.text()));
      return;
    }
    beginToRead();
  }

  private AcceptHandshake requireHandshake() {
    if (handshake == null) {
      throw new IllegalStateException("expected a connection before");
    }
    return handshake;
  }

  @Override
  int handshakeBody(ByteBuffer head) {
    return Handshake.bodyBytes(head, requireHandshake().expected());
  }

  @Override
  void handshake(byte[] frame) {
    if (Handshake.isA(Handshake.Kind.HELLO, frame)) {
      send(requireHandshake().challenge(frame));
      return;
    }
    AcceptHandshake.Welcomed welcomed = requireHandshake().welcome(frame, sessions()::ownSession);
    peer = requireHandshake().hello().engine();
    send(welcomed.answer());
    if (phase() != Phase.ENDED) {
      keyed(welcomed.keys());
      sessions().answered(this, peer);
    }
  }

  @Override
  void confirmed(int type) {
    if (phase() != Phase.KEYED || type != FrameCodec.OPEN) {
      throw new ProtocolException("expected another frame here, got one of type " + type);
    }
    sessions().confirmed(this, requirePeer());
  }

  @Override
  @Nullable EngineId peer() {
    return peer;
  }

  @Override
  int othersMaxMessageBytes() {
    return requireHandshake().hello().maxMessageBytes();
  }

  @Override
  public String where() {
    String address = String.valueOf(context().channel().remoteAddress());
    return peer == null
        ? "the unknown peer at " + address
        : "engine " + peer.toShortString() + " at " + address;
  }
}
