package io.reactivetransfer.control;

import io.netty.channel.ChannelHandlerContext;
import io.reactivetransfer.EngineId;
import io.reactivetransfer.HostPort;
import io.reactivetransfer.control.socket.Failure;
import io.reactivetransfer.control.socket.ProtocolException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;

/** A connection that this engine makes, to one engine, or to whichever is at an address. */
final class Dialled extends Connection {

  private final HostPort at;
  private final @Nullable EngineId wanted;
  private final long number;
  private final List<Long> finds = new ArrayList<>();
  private @Nullable Disposable connecting;
  private @Nullable DialHandshake handshake;
  private DialHandshake.@Nullable Welcomed welcomed;

  /**
   * Of no socket yet.
   *
   * @param wanted null for whoever is there
   */
  Dialled(Sessions sessions, HostPort at, @Nullable EngineId wanted, long number) {
    super(sessions);
    this.at = at;
    this.wanted = wanted;
    this.number = number;
  }

  void connect() {
    openWithin(sessions().connectNanos(), () -> outOfTime(sessions().connectMillis()));
    Disposable subscription = sessions().network().connect(this, address(at.host(), at.port()));
    if (phase() == Phase.ENDED) {
      subscription.dispose();
    } else {
      connecting = subscription;
    }
  }

  HostPort at() {
    return at;
  }

  @Nullable EngineId wanted() {
    return wanted;
  }

  /** Whom to tell who is at the address. */
  List<Long> finds() {
    return finds;
  }

  @Override
  public boolean isDialledHere() {
    return true;
  }

  @Override
  public long number() {
    return number;
  }

  @Override
  public void channelActive(ChannelHandlerContext ctx) {
    if (phase() == Phase.ENDED) {
      var _ = ctx.close();
      return;
    }
    enter(Phase.HANDSHAKE);
    try {
      InetSocketAddress remote = (InetSocketAddress) ctx.channel().remoteAddress();
      handshake =
          new DialHandshake(
              sessions().credentials(),
              binding(),
              sessions().backend(),
              sessions().maxMessageBytes(),
              wanted,
              number,
              at,
              remote.getAddress());
      send(handshake.hello());
    } catch (ProtocolException e) {
      end(e.code().because(where() + ": " + e.text()));
      return;
    }
    ctx.fireChannelActive();
    beginToRead();
  }

  private DialHandshake requireHandshake() {
    if (handshake == null) {
      throw new IllegalStateException("expected a hello before");
    }
    return handshake;
  }

  @Override
  int handshakeBody(ByteBuffer head) {
    return Handshake.bodyBytes(head, requireHandshake().expected());
  }

  @Override
  void handshake(byte[] frame) {
    if (Handshake.isA(Handshake.Kind.CHALLENGE, frame)) {
      send(requireHandshake().prove(frame));
      return;
    }
    Failure refusal = Handshake.refusal(frame);
    if (refusal != null) {
      end(new Failure(refusal.code(), where() + " refused the connection: " + refusal.text()));
      return;
    }
    welcomed = requireHandshake().check(frame);
    keyed(welcomed.keys());
    sessions().welcomed(this, welcomed.engine(), welcomed.session());
  }

  @Override
  void confirmed(int type) {
    throw new ProtocolException(
        "expected a message, got a frame of type " + type + " from the side that was dialled");
  }

  @Override
  @Nullable EngineId peer() {
    return welcomed == null ? wanted : welcomed.engine();
  }

  @Override
  int othersMaxMessageBytes() {
    return welcomed == null ? 0 : welcomed.maxMessageBytes();
  }

  @Override
  public boolean shut() {
    boolean first = super.shut();
    if (connecting != null) {
      connecting.dispose();
    }
    return first;
  }

  @Override
  public String where() {
    EngineId peer = peer();
    return (peer == null ? "the engine" : "engine " + peer.toShortString()) + " at " + at;
  }
}
