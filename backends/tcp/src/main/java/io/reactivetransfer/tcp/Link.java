package io.reactivetransfer.tcp;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelConfig;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoop;
import io.netty.channel.epoll.EpollSocketChannelConfig;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import reactor.netty.NettyPipeline;
import reactor.util.Logger;
import reactor.util.Loggers;

/**
 * One connection, seen from one end: what both ends have in common. It ends once, for one reason,
 * and that reason says where the other side is.
 */
abstract class Link extends ChannelInboundHandlerAdapter implements FrameReader.Frames {

  /** How far a connection has come. */
  enum Phase {
    CONNECTING,
    HANDSHAKE,
    OPEN,
    ENDED
  }

  /** How long a connection that cannot be written to is still read. */
  private static final long LAST_READ_MILLIS = 1_000;

  /** A read of no more is one of a few short frames. */
  private static final int SHORT_READ_BYTES = 1_024;

  /** So many of them cost far more than the call that is made once for them. */
  private static final int SHORT_READS = 64;

  /** What an end within the handshake may mean, whether the socket was closed or reset. */
  private static final String CLOSED_EARLY =
      "; does one side use TLS and the other not, or are there too many connections?";

  private static final Logger LOG = Loggers.getLogger(Link.class);

  private final EventLoop eventLoop;
  private final SmallBuffers smallBuffers;
  private final boolean encrypts;
  private final FrameReader reader = new FrameReader(this);
  private Phase phase = Phase.CONNECTING;
  private @Nullable ChannelHandlerContext context;
  private @Nullable Future<?> deadline;
  private @Nullable Failure broken;
  private int goodbyeCode;
  private int shortReads;

  Link(TcpLoop loop) {
    this.eventLoop = loop.eventLoop();
    this.smallBuffers = loop.smallBuffers();
    this.encrypts = loop.encrypts();
  }

  /**
   * The connection has ended for this reason; its socket is closed, its outbound buffer released.
   */
  abstract void onEnd(Failure why);

  /** The other side, for error texts. */
  abstract String where();

  /** The frame that tells the other side why a connection is closed that it spoke wrongly on. */
  abstract ByteBuf rejection(Failure why);

  final Phase phase() {
    return phase;
  }

  final void enter(Phase next) {
    phase = next;
    if (next == Phase.OPEN) {
      cancelDeadline();
    }
  }

  final FrameReader reader() {
    return reader;
  }

  /** Only for when the channel is there: from {@link Phase#HANDSHAKE} on. */
  final ChannelHandlerContext context() {
    if (context == null) {
      throw new IllegalStateException("expected a connection, got none yet");
    }
    return context;
  }

  /**
   * Handles what the channel brings, once it is decrypted where it comes encrypted; to be called
   * while it is set up.
   */
  final void handle(Channel channel) {
    channel.pipeline().addBefore(NettyPipeline.ReactiveBridge, null, this);
  }

  /** The connection must be open by then. */
  final void openWithin(long nanos, Runnable orElse) {
    deadline = eventLoop.schedule(orElse, nanos, TimeUnit.NANOSECONDS);
  }

  /** An empty buffer for a frame of so many bytes. */
  final ByteBuf frame(int bytes) {
    return smallBuffers.take(context().alloc(), bytes);
  }

  /** Writes, and sends all that was written. */
  final void send(ByteBuf out) {
    write(out);
    context().flush();
  }

  void write(ByteBuf out) {
    var _ = context().write(out, context().voidPromise());
  }

  /** Ends the connection because it failed, or was ended by the other side. */
  final void end(Failure why) {
    if (shut()) {
      onEnd(why);
    }
  }

  /**
   * Ends the connection because this side has no more to do with the other one, which is told so if
   * it can be.
   *
   * @param farewell why, as the other side is to read it
   */
  final void endWith(Failure why, Failure farewell) {
    if (phase == Phase.OPEN) {
      send(goodbye(farewell));
    }
    end(why);
  }

  /**
   * Ends the connection because this side closes: the other one is told, nobody on this side is.
   */
  final void close(Failure why) {
    if (phase == Phase.OPEN) {
      send(goodbye(why));
    }
    shut();
  }

  /** Closes the socket; whether it was not closed before. */
  boolean shut() {
    if (phase == Phase.ENDED) {
      return false;
    }
    phase = Phase.ENDED;
    reader.stop();
    cancelDeadline();
    // There is none when the socket is closed already, as between two addresses of a name.
    ChannelHandlerContext first = context == null ? null : context.pipeline().firstContext();
    if (first != null) {
      // From the first handler on, and so not through TLS: its farewell would keep the socket open,
      // and the memory of writes that it has not encrypted yet in use.
      var _ = first.close();
    }
    return true;
  }

  /** The addresses of a name are tried one after the other, each with a channel of its own. */
  @Override
  public final boolean isSharable() {
    return true;
  }

  @Override
  public final void handlerAdded(ChannelHandlerContext ctx) {
    context = ctx;
  }

  /**
   * Has the socket read, after reactor-netty has made it wait for a subscriber; also what still
   * comes when nothing can be written any more.
   */
  final void beginToRead() {
    ChannelConfig config = context().channel().config();
    if (!encrypts) { // else what is read is kept until it can be decrypted
      config.setRecvByteBufAllocator(
          new DirectRead(config.getRecvByteBufAllocator(), this::destination));
    }
    config.setAutoClose(false).setAutoRead(true);
  }

  /** What the socket is to read into next; null for a buffer of the pool. */
  @Nullable ByteBuf destination() {
    return smallBuffers.toRead();
  }

  @Override
  public final void channelRead(ChannelHandlerContext ctx, Object msg) {
    ByteBuf in = (ByteBuf) msg;
    if (in.readableBytes() <= SHORT_READ_BYTES && shortReads++ % SHORT_READS == 0) {
      holdAcknowledgementsBack();
    }
    try {
      take(in);
    } catch (ProtocolException e) {
      reject(e.code().because(e.text()));
    } finally {
      in.release();
    }
    afterRead();
  }

  /**
   * Has the system acknowledge every second short segment, instead of each one at once by a segment
   * of its own: that takes as long as the read. It does so by itself where the answer goes back on
   * the same connection; here it may go on another one. Not for good: it forgets it when an
   * acknowledgement was late once.
   */
  private void holdAcknowledgementsBack() {
    if (context().channel().config() instanceof EpollSocketChannelConfig config) {
      config.setTcpQuickAck(false);
    }
  }

  /** Some bytes were read. */
  void take(ByteBuf in) {
    reader.feed(in);
  }

  /** After each piece that was read. */
  void afterRead() {}

  /**
   * The socket has failed. If it was a write, then what the other side sent before it closed can
   * still be read, its goodbye above all; the end of that is the end of the connection.
   */
  @Override
  public final void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    Failure why = broken;
    if (why == null) {
      why = TlsFailure.isOne(cause) ? TlsFailure.of(cause, where()) : broken(cause);
      broken = why;
    }
    boolean isFaultOfTheSocket = cause instanceof IOException;
    boolean isExplained =
        why.code() == ErrorCode.TLS.value || why.code() == ErrorCode.MEMORY_GONE.value;
    if (!isFaultOfTheSocket && !isExplained) {
      LOG.warn("{}", why.text(), cause); // a fault of this program: only its stack says where
    }
    if (isFaultOfTheSocket && phase == Phase.OPEN) {
      Failure last = why;
      var _ = eventLoop.schedule(() -> end(last), LAST_READ_MILLIS, TimeUnit.MILLISECONDS);
    } else {
      end(why);
    }
  }

  /** What to say of a connection that has failed. */
  Failure broken(Throwable cause) {
    return ErrorCode.BROKEN.because(
        "the connection with "
            + where()
            + " broke"
            + (phase == Phase.OPEN
                ? ": " + cause.getMessage()
                : " within the handshake: " + cause.getMessage() + CLOSED_EARLY));
  }

  /** Whether nothing can be written any more. */
  final boolean isBroken() {
    return broken != null;
  }

  @Override
  public final void channelInactive(ChannelHandlerContext ctx) {
    end(broken == null ? silentEnd() : broken);
    ctx.fireChannelInactive();
  }

  private Failure silentEnd() {
    if (phase != Phase.OPEN) {
      return ErrorCode.BROKEN.because(
          where() + " ended the connection within the handshake" + CLOSED_EARLY);
    }
    String how = reader.isBetweenFrames() ? " without a goodbye" : " in the middle of a frame";
    return ErrorCode.BROKEN.because(
        where() + " ended the connection" + how + "; was its process killed?");
  }

  /** To be called with the head of a goodbye. */
  final void goodbyeHead(ByteBuffer head) {
    goodbyeCode = Short.toUnsignedInt(head.getShort());
    reader.collect(Wire.textLength(Short.toUnsignedInt(head.getShort())));
  }

  /** To be called with the text of a goodbye. */
  final void goodbyeText(byte[] text) {
    end(new Failure(goodbyeCode, where() + " closed the connection: " + Wire.text(text)));
  }

  final ByteBuf goodbye(Failure why) {
    return Wire.putGoodbye(frame(Wire.GOODBYE_BYTES + Wire.MAX_TEXT_BYTES), why);
  }

  private void reject(Failure why) {
    if (phase != Phase.ENDED) {
      send(rejection(why));
    }
    end(new Failure(why.code(), where() + " does not keep to the protocol: " + why.text()));
  }

  private void cancelDeadline() {
    if (deadline != null) {
      deadline.cancel(false);
      deadline = null;
    }
  }
}
