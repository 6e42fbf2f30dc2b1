package io.reactivetransfer.control;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.reactivetransfer.EngineId;
import io.reactivetransfer.spi.PeerText;
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
abstract class Connection extends ChannelInboundHandlerAdapter implements PeerState.Candidate {

  /** How far a connection has come. */
  enum Phase {
    CONNECTING,
    HANDSHAKE,
    /** The keys are there; at the side that was dialled, the first frame is not. */
    KEYED,
    OPEN,
    ENDED
  }

  /** How long a connection that cannot be written to is still read. */
  private static final long LAST_READ_MILLIS = 1_000;

  /** What an end within the handshake may mean, whether the socket was closed or reset. */
  private static final String CLOSED_EARLY =
      "; does one side use TLS and the other not, or are there too many connections?";

  private static final Logger LOG = Loggers.getLogger(Connection.class);

  private final Sessions sessions;
  private final FrameReader reader = new FrameReader(this);
  private Phase phase = Phase.CONNECTING;
  private @Nullable ChannelHandlerContext context;
  private @Nullable Future<?> deadline;
  private @Nullable Failure broken;
  private @Nullable SessionKeys keys;
  private @Nullable FrameCodec codec;
  private @Nullable Session session;

  Connection(Sessions sessions) {
    this.sessions = sessions;
  }

  /** Checks the head of a frame of the handshake; the length of its body. */
  abstract int handshakeBody(ByteBuffer head);

  /** A whole frame of the handshake has come. */
  abstract void handshake(byte[] frame);

  /** A frame has come before the session is open. */
  abstract void confirmed(int type);

  /** The other engine, once that is proved. */
  abstract @Nullable EngineId peer();

  /** The longest message that it takes, once that is known. */
  abstract int othersMaxMessageBytes();

  /** The other side, for error texts. */
  abstract String where();

  final Sessions sessions() {
    return sessions;
  }

  final Phase phase() {
    return phase;
  }

  final void enter(Phase next) {
    phase = next;
  }

  /** Only for when the channel is there: from {@link Phase#HANDSHAKE} on. */
  final Channel channel() {
    if (context == null) {
      throw new IllegalStateException("expected a connection, got none yet");
    }
    return context.channel();
  }

  final Binding binding() {
    return Binding.of(channel().pipeline());
  }

  /**
   * Handles what the channel brings, once it is decrypted where it comes encrypted; to be called
   * while it is set up.
   */
  final void handle(Channel channel) {
    channel.pipeline().addBefore(NettyPipeline.ReactiveBridge, null, this);
  }

  /** A session must have come about by then. */
  final void openWithin(long nanos, Runnable orElse) {
    deadline = sessions.eventLoop().schedule(orElse, nanos, TimeUnit.NANOSECONDS);
  }

  /** The handshake is done on this side. */
  final void keyed(SessionKeys sessionKeys) {
    keys = sessionKeys;
    codec = new FrameCodec(sessionKeys, isDialledHere());
    phase = Phase.KEYED;
  }

  /** Becomes the session with the other engine. */
  final Session open(EngineId with) {
    phase = Phase.OPEN;
    cancelDeadline();
    session = new Session(with, this);
    return session;
  }

  final @Nullable Session session() {
    return session;
  }

  /** Once the handshake is done on this side. */
  final @Nullable SessionKeys keys() {
    return keys;
  }

  final void execute(Runnable task) {
    sessions.loop().execute(task);
  }

  final void ring() {
    sessions.events().ring();
  }

  /** Sends what waits in the session, as far as the socket takes it. */
  final void drain() {
    if (phase == Phase.OPEN && broken == null && writeWaiting(false)) {
      requireContext().flush();
    }
  }

  /** Whether anything was written; {@code all} takes no notice of how much the socket holds. */
  private boolean writeWaiting(boolean all) {
    Session from = session;
    boolean any = false;
    while (from != null && codec != null && (all || channel().isWritable())) {
      ByteBuf frame = from.next(codec, requireContext().alloc());
      if (frame == null) {
        break;
      }
      int length = frame.readableBytes() - FrameCodec.HEAD_BYTES - FrameCodec.TAG_BYTES;
      if (length > othersMaxMessageBytes()) {
        frame.release();
        end(
            ErrorCode.PROTOCOL.because(
                where()
                    + " takes messages of at most "
                    + othersMaxMessageBytes()
                    + " bytes, got one of "
                    + length
                    + "; give both engines the same maxMessageBytes"));
        return false;
      }
      var _ = requireContext().write(frame, requireContext().voidPromise());
      any = true;
    }
    return any;
  }

  /** Sends a frame of the handshake. */
  final void send(byte[] frame) {
    var _ =
        requireContext()
            .writeAndFlush(Unpooled.wrappedBuffer(frame), requireContext().voidPromise());
  }

  /** Sends a frame of the session. */
  final void send(int type, byte[] body) {
    if (codec != null) {
      ByteBuf frame = codec.encode(requireContext().alloc(), type, body);
      var _ = requireContext().writeAndFlush(frame, requireContext().voidPromise());
    }
  }

  /** Ends the connection, and tells the others what that means. */
  final void end(Failure why) {
    if (shut()) {
      sessions.ended(this, why);
    }
  }

  /**
   * Ends the connection because this side has no more to do with the other one, which is told so if
   * it can be.
   *
   * @param farewell why, as the other side is to read it
   */
  final void endWith(Failure why, Failure farewell) {
    sayFarewell(farewell);
    end(why);
  }

  /** The same, and nobody on this side is told. */
  final void shutWith(Failure farewell) {
    sayFarewell(farewell);
    shut();
  }

  private void sayFarewell(Failure why) {
    if (phase == Phase.OPEN || phase == Phase.KEYED) {
      if (why.code() == ErrorCode.CLOSED.value) {
        writeWaiting(true);
      }
      if (phase != Phase.ENDED) {
        send(FrameCodec.FAREWELL, FrameCodec.farewell(why));
      }
    }
  }

  /** Closes the socket; whether it was not closed before. */
  boolean shut() {
    if (phase == Phase.ENDED) {
      return false;
    }
    phase = Phase.ENDED;
    cancelDeadline();
    if (session != null) {
      session.end();
    }
    // There is none when the socket is closed already, as between two addresses of a name.
    ChannelHandlerContext first = context == null ? null : context.pipeline().firstContext();
    if (first != null) {
      // From the first handler on, and so not through TLS, whose farewell would keep the socket.
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
    channel().config().setAutoClose(false).setAutoRead(true);
  }

  /** Reads on, after the engine did not keep up. */
  final void readOn() {
    if (phase != Phase.ENDED) {
      channel().config().setAutoRead(true);
    }
  }

  @Override
  public final void channelRead(ChannelHandlerContext ctx, Object msg) {
    ByteBuf in = (ByteBuf) msg;
    try {
      while (in.isReadable() && phase != Phase.ENDED) {
        reader.read(in);
      }
    } catch (ProtocolException e) {
      reject(e);
    } finally {
      in.release();
    }
    if (phase == Phase.OPEN && sessions.events().isFull()) {
      channel().config().setAutoRead(false);
      sessions.awaitRoom(this);
    }
  }

  /** A whole frame has come, of a kind and length that may come now. */
  final void frame(int type, byte[] bodyAndTag) {
    ByteBuffer content = requireCodec().decode(type, bodyAndTag);
    if (type == FrameCodec.FAREWELL) {
      int code = Short.toUnsignedInt(content.getShort());
      end(new Failure(code, where() + " ended the session: " + PeerText.of(content)));
    } else if (phase == Phase.OPEN && type == FrameCodec.MESSAGE) {
      sessions.events().received(requirePeer(), content);
    } else {
      confirmed(type);
    }
  }

  private FrameCodec requireCodec() {
    if (codec == null) {
      throw new IllegalStateException("expected keys before a frame");
    }
    return codec;
  }

  final EngineId requirePeer() {
    EngineId peer = peer();
    if (peer == null) {
      throw new IllegalStateException("expected a proof before a session");
    }
    return peer;
  }

  private ChannelHandlerContext requireContext() {
    if (context == null) {
      throw new IllegalStateException("expected a connection, got none yet");
    }
    return context;
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext ctx) {
    if (ctx.channel().isWritable()) {
      drain();
    }
  }

  /**
   * The socket has failed. If it was a write, then what the other side sent before it closed can
   * still be read, its farewell above all; the end of that is the end of the connection.
   */
  @Override
  public final void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    Failure why = broken;
    if (why == null) {
      why =
          TlsFailure.isOne(cause)
              ? TlsFailure.of(cause, where())
              : ErrorCode.BROKEN.because(
                  "the connection with "
                      + where()
                      + " broke"
                      + (phase == Phase.OPEN
                          ? ": " + cause.getMessage()
                          : " within the handshake: " + cause.getMessage() + CLOSED_EARLY));
      broken = why;
    }
    boolean isFaultOfTheSocket = cause instanceof IOException;
    if (!isFaultOfTheSocket && why.code() != ErrorCode.TLS.value) {
      LOG.warn("{}", why.text(), cause); // a fault of this program: only its stack says where
    }
    Failure last = why;
    if (isFaultOfTheSocket && phase == Phase.OPEN) {
      var _ =
          sessions.eventLoop().schedule(() -> end(last), LAST_READ_MILLIS, TimeUnit.MILLISECONDS);
    } else if (why.code() == ErrorCode.TLS.value) {
      execute(() -> end(last)); // TLS tells the other side why, but only behind this
    } else {
      end(why);
    }
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
    String how = reader.isBetweenFrames() ? " without a farewell" : " in the middle of a frame";
    return ErrorCode.BROKEN.because(
        where() + " ended the connection" + how + "; was its process killed?");
  }

  /** The other side has not kept to the protocol, or is not who it must be; it is told so. */
  private void reject(ProtocolException e) {
    Failure why = e.code().because(e.text());
    if (phase == Phase.HANDSHAKE && !isDialledHere()) {
      send(Handshake.encode(why));
    } else {
      sayFarewell(why);
    }
    String what = e.code() == ErrorCode.PROTOCOL ? " does not keep to the protocol: " : ": ";
    end(new Failure(why.code(), where() + what + why.text()));
  }

  private void cancelDeadline() {
    if (deadline != null) {
      deadline.cancel(false);
      deadline = null;
    }
  }
}
