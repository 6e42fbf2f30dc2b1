package io.reactivetransfer.control.socket;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoop;
import io.netty.channel.socket.ChannelOutputShutdownException;
import io.netty.util.NetUtil;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.EnumSet;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import reactor.netty.NettyPipeline;
import reactor.util.Logger;
import reactor.util.Loggers;

/**
 * One connection, seen from one end: how it begins and ends. It ends once, for one reason, and that
 * reason says where the other side is. For its event loop.
 */
public abstract class SocketConnection extends ChannelInboundHandlerAdapter
    implements FrameReader.Frames {

  /** How far a connection has come. */
  public enum Phase {
    /** There is no socket yet. */
    CONNECTING,
    /** The two sides find out whether they want each other. */
    HANDSHAKE,
    /** The keys are there; at the side that was dialled, the first frame is not. */
    KEYED,
    /** Frames go both ways. */
    OPEN,
    /** It is no more. */
    ENDED
  }

  /** How long a connection that cannot be written to is still read. */
  private static final long LAST_READ_MILLIS = 1_000;

  /** What an end within the handshake may mean, whether the socket was closed or reset. */
  private static final String CLOSED_EARLY =
      "; does one side use TLS and the other not, or are there too many connections?";

  /** What says all that there is to say, though the cause is no fault of the socket. */
  private static final EnumSet<ErrorCode> EXPLAINED =
      EnumSet.of(ErrorCode.TLS, ErrorCode.MEMORY_GONE);

  private static final Logger LOG = Loggers.getLogger(SocketConnection.class);

  private final EventLoop eventLoop;
  private final FrameReader reader;
  private Phase phase = Phase.CONNECTING;
  private @Nullable ChannelHandlerContext context;
  private @Nullable Future<?> deadline;
  private @Nullable Failure broken;

  /** Of no socket yet. */
  @SuppressWarnings("this-escape") // nothing is called before bytes come
  protected SocketConnection(EventLoop eventLoop) {
    this.eventLoop = eventLoop;
    this.reader = new FrameReader(this);
  }

  /** Some bytes were read, and the connection may go on or not. */
  protected void afterRead() {}

  /** Tells the other side, as long as that is possible, why the connection ends here. */
  protected abstract void sayWhy(Failure why);

  /** It has ended for this reason; its socket is closed, its outbound buffer released. */
  protected abstract void onEnd(Failure why);

  /** The other side, for error texts. */
  public abstract String where();

  /** How far it has come. */
  public final Phase phase() {
    return phase;
  }

  /** It has come as far as that. */
  protected final void enter(Phase next) {
    phase = next;
    if (next == Phase.OPEN) {
      cancelDeadline();
    }
  }

  /** What cuts the bytes that come into frames. */
  protected final FrameReader reader() {
    return reader;
  }

  /** Only for when the channel is there: from {@link Phase#HANDSHAKE} on. */
  public final ChannelHandlerContext context() {
    if (context == null) {
      throw new IllegalStateException("expected a connection, got none yet");
    }
    return context;
  }

  /**
   * Handles what the channel brings, once it is decrypted where it comes encrypted; to be called
   * while it is set up.
   */
  public final void handle(Channel channel) {
    channel.pipeline().addBefore(NettyPipeline.ReactiveBridge, null, this);
  }

  /** Where to connect to: an address literal is taken as it is, a name stays to be resolved. */
  public static InetSocketAddress address(String host, int port) {
    byte[] literal = NetUtil.createByteArrayFromIpAddressString(host);
    if (literal == null) {
      return InetSocketAddress.createUnresolved(host, port);
    }
    try {
      return new InetSocketAddress(InetAddress.getByAddress(literal), port);
    } catch (UnknownHostException e) {
      throw new AssertionError("an address literal has 4 or 16 bytes", e);
    }
  }

  /** It must be open by then. */
  protected final void openWithin(long nanos, Runnable orElse) {
    deadline = eventLoop.schedule(orElse, nanos, TimeUnit.NANOSECONDS);
  }

  /** It was not, though this side has dialled. */
  protected final void outOfTime(long millis) {
    String how = phase == Phase.CONNECTING ? "cannot connect to " : "no handshake with ";
    end(ErrorCode.TIMEOUT.because(how + where() + " within " + millis + " ms"));
  }

  /** Nobody was there to connect to. */
  public final void cannotConnect(Throwable cause) {
    // Netty puts the address behind the message of another exception, and where a network cannot be
    // reached, that has none: only its kind says what it is.
    Throwable root = cause.getCause() == null ? cause : cause.getCause();
    String what = root.getMessage() == null ? root.getClass().getSimpleName() : cause.getMessage();
    end(
        ErrorCode.CONNECT.because(
            "cannot connect to " + where() + ": " + what + "; does it run there?"));
  }

  /**
   * Has the socket read, after reactor-netty has made it wait for a subscriber; also what still
   * comes when nothing can be written any more.
   */
  protected void beginToRead() {
    context().channel().config().setAutoClose(false).setAutoRead(true);
  }

  /** Ends the connection because it failed, or was ended by the other side. */
  public final void end(Failure why) {
    if (shut()) {
      onEnd(why);
    }
  }

  /** Closes the socket, and tells nobody; whether it was not closed before. */
  public boolean shut() {
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

  private void cancelDeadline() {
    if (deadline != null) {
      deadline.cancel(false);
      deadline = null;
    }
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

  @Override
  public final void channelRead(ChannelHandlerContext ctx, Object msg) {
    ByteBuf in = (ByteBuf) msg;
    try {
      take(in);
    } catch (ProtocolException e) {
      reject(e);
    } finally {
      in.release();
    }
    afterRead();
  }

  /**
   * Some bytes have come, which stay the caller's.
   *
   * @throws ProtocolException if the connection cannot go on
   */
  protected void take(ByteBuf in) {
    reader.feed(in);
  }

  /** The other side has not kept to the protocol, or is not who it must be; it is told so. */
  private void reject(ProtocolException e) {
    Failure why = e.code().because(e.text());
    if (phase != Phase.ENDED) {
      sayWhy(why);
    }
    String what = e.code() == ErrorCode.PROTOCOL ? " does not keep to the protocol: " : ": ";
    end(new Failure(why.code(), where() + what + why.text()));
  }

  /**
   * The socket has failed. If it was a write, then what the other side sent before it closed can
   * still be read, its farewell above all; the end of that is the end of the connection.
   */
  @Override
  public final void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    Failure why = broken;
    if (why == null) {
      why = TlsFailure.isOne(cause) ? TlsFailure.of(cause, where()) : broken(cause);
      broken = why;
    }
    boolean isFaultOfTheSocket = cause instanceof IOException;
    int code = why.code();
    if (!isFaultOfTheSocket && EXPLAINED.stream().noneMatch(each -> each.value == code)) {
      LOG.warn("{}", why.text(), cause); // a fault of this program: only its stack says where
    }
    Failure last = why;
    if (isFaultOfTheSocket && phase == Phase.OPEN) {
      var _ = eventLoop.schedule(() -> end(last), LAST_READ_MILLIS, TimeUnit.MILLISECONDS);
    } else if (code == ErrorCode.TLS.value) {
      eventLoop.execute(() -> end(last)); // TLS tells the other side why, but only behind this
    } else {
      end(why);
    }
  }

  /** What to say of a connection that has failed. */
  protected Failure broken(Throwable cause) {
    String what = said(cause);
    return ErrorCode.BROKEN.because(
        "the connection with "
            + where()
            + " broke"
            + (phase == Phase.OPEN
                ? ": " + what
                : " within the handshake: " + what + CLOSED_EARLY));
  }

  /**
   * Of a write that fails, Netty says only that its channel is shut; the cause is what was said.
   */
  private static @Nullable String said(Throwable failure) {
    Throwable cause = failure.getCause();
    String text = cause == null ? null : cause.getMessage();
    return failure instanceof ChannelOutputShutdownException && text != null
        ? text
        : failure.getMessage();
  }

  /** Whether nothing can be written any more. */
  protected final boolean isBroken() {
    return broken != null;
  }

  @Override
  public final void channelInactive(ChannelHandlerContext ctx) {
    readToEnd();
    ctx.fireChannelInactive();
  }

  /** Nothing more will be read: ends the connection, once what was read has been dealt with. */
  protected void readToEnd() {
    end(broken == null ? silentEnd() : broken);
  }

  private Failure silentEnd() {
    if (phase != Phase.OPEN) {
      return ErrorCode.BROKEN.because(
          where() + " ended the connection within the handshake" + CLOSED_EARLY);
    }
    String how = reader.isBetweenFrames() ? " without a farewell" : " in the middle of a frame";
    return ErrorCode.BROKEN.because(
        where() + " ended the connection" + how + "; was its process killed?");
  }
}
