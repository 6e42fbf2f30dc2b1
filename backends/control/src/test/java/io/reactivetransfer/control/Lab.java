package io.reactivetransfer.control;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandler;
import io.netty.channel.embedded.EmbeddedChannel;
import io.reactivetransfer.ClusterSecret;
import io.reactivetransfer.EngineId;
import io.reactivetransfer.HostPort;
import io.reactivetransfer.spi.ControlContext;
import io.reactivetransfer.spi.ControlSink;
import io.reactivetransfer.spi.EngineIdentity;
import java.io.ByteArrayOutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import reactor.core.Disposable;

/**
 * Two engines and a network without sockets, threads or time: what is sent waits until a test
 * delivers it, piece by piece, in the order that it likes.
 */
final class Lab {

  /** What one engine has sent to the other on one connection, or that it has closed. */
  record Piece(byte[] bytes, boolean isEnd) {}

  /** One connection, from the one who dialled to the one who was. */
  final class Wire {
    final Site dialler;
    final Socket near;
    final Socket far;
    final Deque<Piece> toFar = new ArrayDeque<>();
    final Deque<Piece> toNear = new ArrayDeque<>();

    Wire(Site dialler, Site acceptor, Dialled dial) {
      this.dialler = dialler;
      near = new Socket(dial, acceptor.port);
      Accepted accepted = new Accepted(acceptor.sessions);
      accepted.begin(InetAddress.getLoopbackAddress());
      far = new Socket(accepted, acceptor.port);
      collect();
      feed(toFar, far); // the hello and the challenge, on which nothing depends yet
      feed(toNear, near);
    }

    private void collect() {
      near.collect(toFar);
      far.collect(toNear);
    }

    void deliverToFar() {
      feed(toFar, far);
      settle();
    }

    void deliverToNear() {
      feed(toNear, near);
      settle();
    }

    private void feed(Deque<Piece> from, Socket to) {
      Piece piece = from.remove();
      if (piece.isEnd) {
        to.close();
      } else if (to.isOpen()) {
        to.writeInbound(Unpooled.wrappedBuffer(piece.bytes));
      }
      collect();
    }
  }

  /** One end of a wire. */
  static final class Socket extends EmbeddedChannel {

    private final InetSocketAddress address;
    private boolean endTold;

    Socket(ChannelHandler handler, int listeningPort) {
      address = new InetSocketAddress(InetAddress.getLoopbackAddress(), listeningPort);
      pipeline().addLast(handler);
      pipeline().fireChannelActive();
    }

    /** Takes what was written, as one piece, and the end. */
    void collect(Deque<Piece> into) {
      runPendingTasks();
      ByteArrayOutputStream bytes = new ByteArrayOutputStream();
      for (ByteBuf out; (out = readOutbound()) != null; out.release()) {
        bytes.writeBytes(ByteBufUtil.getBytes(out));
      }
      if (bytes.size() > 0) {
        into.add(new Piece(bytes.toByteArray(), false));
      }
      if (!isOpen() && !endTold) {
        endTold = true;
        into.add(new Piece(new byte[0], true));
      }
    }

    @Override
    public SocketAddress localAddress() {
      return address;
    }

    @Override
    public SocketAddress remoteAddress() {
      return address;
    }
  }

  /** One engine. */
  final class Site implements ControlSink {
    final EngineIdentity identity;
    final int port;
    final HostPort address;
    final Sessions sessions;
    final NettyControlChannel channel;
    final List<String> log = new ArrayList<>();
    final List<String> taken = new ArrayList<>();
    private final EmbeddedChannel clock = new EmbeddedChannel();

    Site(EngineIdentity identity, int port) {
      this.identity = identity;
      this.port = port;
      address = new HostPort("127.0.0.1", port);
      clock.freezeTime(); // or a busy machine's time would be added to that of a test
      ControlLoop loop = ControlLoop.on(clock.eventLoop());
      ControlContext context =
          ControlContext.builder(identity, "lab", () -> {})
              .loop(loop)
              .maxMessageBytes(Handshake.MIN_MESSAGE_BYTES)
              .build();
      sessions =
          new Sessions(
              loop,
              this::connect,
              context,
              new Credentials(identity, List.of(SECRET)),
              HandshakeLimits.DEFAULTS,
              Set.of(),
              _ -> {});
      channel = new NettyControlChannel(context, sessions, null, CompletableFuture::new);
    }

    private Disposable connect(Dialled dial, InetSocketAddress remote) {
      Site acceptor = remote.getPort() == one.port ? one : two;
      wires.add(new Wire(this, acceptor, dial));
      return () -> {};
    }

    Site other() {
      return this == one ? two : one;
    }

    /** Sends once. */
    boolean send(String text) {
      byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
      boolean takes = channel.send(other().identity.id(), other().address, ByteBuffer.wrap(bytes));
      if (takes) {
        taken.add(text);
      }
      return takes;
    }

    void find(long token) {
      channel.find(token, other().address);
    }

    private void turn() {
      clock.runPendingTasks();
      channel.poll(this);
      clock.runPendingTasks();
    }

    void advance(long millis) {
      clock.advanceTimeBy(millis, TimeUnit.MILLISECONDS);
      clock.runScheduledPendingTasks();
    }

    @Override
    public void received(EngineId sender, ByteBuffer bytes) {
      log.add("received " + StandardCharsets.US_ASCII.decode(bytes));
    }

    @Override
    public void found(long token, EngineId peer) {
      log.add("found " + token);
    }

    @Override
    public void notFound(long token, int code, String text) {
      log.add("not found " + token + ": " + text);
    }

    @Override
    public void peerLost(EngineId peer, int code, String text) {
      log.add("lost: " + text);
    }

    @Override
    public void channelFailed(int code, String text) {
      log.add("failed: " + text);
    }
  }

  private static final ClusterSecret SECRET =
      ClusterSecret.of("a secret of enough bytes".getBytes(StandardCharsets.US_ASCII));

  final List<Wire> wires = new ArrayList<>();
  final Site one;
  final Site two;

  Lab(EngineIdentity ofOne, EngineIdentity ofTwo) {
    one = new Site(ofOne, 1);
    two = new Site(ofTwo, 2);
  }

  /** All that follows without anything being delivered. */
  void settle() {
    for (int i = 0; i < 3; i++) {
      one.turn();
      two.turn();
      List.copyOf(wires).forEach(Wire::collect);
    }
  }

  /** What could be delivered next. */
  List<Runnable> choices() {
    List<Runnable> choices = new ArrayList<>();
    for (Wire wire : wires) {
      if (!wire.toFar.isEmpty()) {
        choices.add(wire::deliverToFar);
      }
      if (!wire.toNear.isEmpty()) {
        choices.add(wire::deliverToNear);
      }
    }
    return choices;
  }

  /** All that decides what can happen next. */
  @Override
  public String toString() {
    StringBuilder text = new StringBuilder();
    for (Wire wire : wires) {
      text.append(wire.near.isOpen()).append(wire.far.isOpen());
      wire.toFar.forEach(piece -> text.append(" >").append(piece.bytes.length));
      wire.toNear.forEach(piece -> text.append(" <").append(piece.bytes.length));
      text.append('\n');
    }
    return text.append(one.log).append(one.taken).append(two.log).append(two.taken).toString();
  }
}
