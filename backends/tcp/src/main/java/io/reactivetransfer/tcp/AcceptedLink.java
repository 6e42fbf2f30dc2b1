package io.reactivetransfer.tcp;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.socket.SocketChannel;
import io.reactivetransfer.control.socket.ErrorCode;
import io.reactivetransfer.control.socket.Failure;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;
import reactor.util.Logger;
import reactor.util.Loggers;

/** A connection that another engine has made. */
final class AcceptedLink extends Link {

  private static final Logger LOG = Loggers.getLogger(AcceptedLink.class);

  private final AcceptHandshake handshake;
  private @Nullable Path path;

  AcceptedLink(TcpDomain domain) {
    super(domain);
    this.handshake = new AcceptHandshake(domain.authentication(), domain.engine());
  }

  /** Someone has connected; with TLS, there is a handshake of that before ours. */
  void takeOver(SocketChannel channel) {
    handle(channel);
    begin(channel.remoteAddress().getAddress());
  }

  /** Ends at once if too many have come from this address; or when the handshake takes too long. */
  void begin(InetAddress from) {
    Failure refusedBecause = domain().admit(this, from);
    if (refusedBecause != null) {
      LOG.debug("a connection from {} was turned away: {}", from, refusedBecause.text());
      shut();
      return;
    }
    openWithin(
        domain().connectNanos(),
        () -> end(ErrorCode.TIMEOUT.because("no complete handshake in time from " + where())));
  }

  @Override
  public void channelActive(ChannelHandlerContext ctx) {
    if (phase() == Phase.ENDED) {
      return;
    }
    enter(Phase.HANDSHAKE);
    ctx.fireChannelActive();
    beginToRead();
  }

  @Override
  int handshakeBody(ByteBuffer head) {
    return handshake.bodyOf(head);
  }

  @Override
  void handshake(byte[] body) {
    // First: a buffer is for who has one to send.
    Handshake.Reply reply = handshake.reply(body, shownCertificate());
    ByteBuf out = frame(Handshake.MAX_BYTES);
    switch (reply) {
      case Handshake.Challenge challenge -> send(Handshake.putChallenge(out, challenge));
      case Handshake.Refusal(Failure why) -> {
        send(Handshake.putRefusal(out, why));
        end(why);
      }
      case Handshake.Welcome welcome -> {
        send(Handshake.putWelcome(out, welcome));
        if (phase() != Phase.ENDED) {
          Path known = domain().path(handshake.hello().pathOfAcceptor());
          path = known;
          open();
          domain().opened(this);
          known.began(this);
        }
      }
    }
  }

  @Override
  ByteBuf rejection(Failure why) {
    return Handshake.putRefusal(frame(Handshake.MAX_BYTES), why);
  }

  @Override
  public boolean shut() {
    domain().ended(this);
    return super.shut();
  }

  @Override
  @Nullable Path path() {
    return path;
  }

  @Override
  long connection() {
    return handshake.hello().connection();
  }

  @Override
  boolean isDialled() {
    return false;
  }

  @Override
  public String where() {
    String address = String.valueOf(context().channel().remoteAddress());
    return path == null
        ? "the unknown peer at " + address
        : "NIC "
            + path.key().nic()
            + " of engine "
            + path.key().engine().toShortString()
            + " at "
            + address;
  }
}
