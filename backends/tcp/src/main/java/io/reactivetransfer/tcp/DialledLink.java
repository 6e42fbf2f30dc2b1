package io.reactivetransfer.tcp;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOption;
import io.reactivetransfer.control.socket.Failure;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;
import reactor.netty.tcp.TcpClient;

/** A connection that this side has made, or makes: for a write that found none. */
final class DialledLink extends Link {

  private final Path path;
  private final NicAddress address;
  private final DialHandshake handshake;
  private @Nullable Disposable connecting;

  DialledLink(TcpDomain domain, Path path, NicAddress address) {
    super(domain);
    this.path = path;
    this.address = address;
    this.handshake =
        new DialHandshake(
            domain.authentication(),
            new Handshake.Hello(
                domain.engine(),
                path.key().engine(),
                domain.nicIndex(),
                domain.authentication().newNonce()));
  }

  void connect() {
    openWithin(domain().connectNanos(), () -> outOfTime(domain().connectMillis()));
    InetSocketAddress remote = address.toSocketAddress();
    TcpClient client =
        domain()
            .loop()
            .client()
            .remoteAddress(() -> remote)
            .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, domain().connectMillis())
            .doOnChannelInit((_, channel, _) -> handle(channel));
    InetSocketAddress local = domain().outgoingAddress(remote);
    Disposable subscription =
        (local == null ? client : client.bindAddress(() -> local))
            .connect()
            .subscribe(_ -> {}, this::cannotConnect);
    if (phase() == Phase.ENDED) {
      subscription.dispose();
    } else {
      connecting = subscription;
    }
  }

  @Override
  public void channelActive(ChannelHandlerContext ctx) {
    if (phase() == Phase.ENDED) {
      var _ = ctx.close();
      return;
    }
    enter(Phase.HANDSHAKE);
    send(Handshake.putHello(frame(Handshake.MAX_BYTES), handshake.hello()));
    ctx.fireChannelActive();
    beginToRead();
  }

  @Override
  int handshakeBody(ByteBuffer head) {
    return handshake.bodyOf(head);
  }

  @Override
  void handshake(byte[] body) {
    switch (handshake.reply(body)) {
      case Handshake.Refusal(Failure why) ->
          end(new Failure(why.code(), where() + " refused the connection: " + why.text()));
      case Handshake.Challenge challenge -> {
        byte[] proof = handshake.prove(challenge, shownCertificate());
        send(Handshake.putProof(frame(Handshake.MAX_BYTES), proof));
      }
      case Handshake.Welcome welcome -> {
        handshake.check(welcome);
        open();
        path.began();
      }
    }
  }

  /** There is no frame for that: it is said as what it would be later. */
  @Override
  ByteBuf rejection(Failure why) {
    return goodbye(why);
  }

  @Override
  public boolean shut() {
    if (connecting != null) {
      connecting.dispose();
    }
    return super.shut();
  }

  @Override
  Path path() {
    return path;
  }

  @Override
  long connection() {
    return handshake.hello().connection();
  }

  @Override
  boolean isDialled() {
    return true;
  }

  @Override
  public String where() {
    return "engine " + path.key().engine().toShortString() + " at " + address;
  }
}
