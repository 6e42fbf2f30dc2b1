package io.reactivetransfer.control;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.reactivetransfer.EngineId;
import io.reactivetransfer.control.socket.ErrorCode;
import io.reactivetransfer.control.socket.Failure;
import io.reactivetransfer.control.socket.ProtocolException;
import io.reactivetransfer.control.socket.SocketConnection;
import io.reactivetransfer.spi.PeerText;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import reactor.util.Logger;
import reactor.util.Loggers;

/** A connection of the control channel: what both its ends have in common. */
abstract class Connection extends SocketConnection implements PeerState.Candidate {

  private static final Logger LOG = Loggers.getLogger(Connection.class);

  /** Made before, for where there is no memory. */
  private static final Failure NOT_SENT = ErrorCode.BROKEN.because("a message could not be sent");

  private final Sessions sessions;
  private @Nullable SessionKeys keys;
  private @Nullable FrameCodec codec;
  private @Nullable Session session;

  // The frame that is coming in.
  private byte[] head = {};
  private int type;

  Connection(Sessions sessions) {
    super(sessions.eventLoop());
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

  final Sessions sessions() {
    return sessions;
  }

  private Channel channel() {
    return context().channel();
  }

  final Binding binding() {
    return Binding.of(channel().pipeline());
  }

  /** The handshake is done on this side. */
  final void keyed(SessionKeys sessionKeys) {
    keys = sessionKeys;
    codec = new FrameCodec(sessionKeys, isDialledHere());
    enter(Phase.KEYED);
  }

  /** Becomes the session with the other engine. */
  final Session open(EngineId with) {
    enter(Phase.OPEN);
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
    if (phase() == Phase.OPEN && !isBroken() && writeWaiting(false)) {
      context().flush();
    }
  }

  /** Whether anything was written; {@code all} takes no notice of how much the socket holds. */
  private boolean writeWaiting(boolean all) {
    Session from = session;
    boolean any = false;
    while (from != null && codec != null && (all || channel().isWritable())) {
      ByteBuf frame;
      try {
        frame = from.next(codec, context().alloc());
      } catch (RuntimeException | Error e) { // such as where there is no memory for it
        try {
          endWith(
              ErrorCode.BROKEN.because("a message to " + where() + " could not be sent: " + e),
              ErrorCode.BROKEN.because("a message to this engine could not be sent"));
        } finally { // the message is gone, so nothing may come behind it
          if (phase() != Phase.ENDED) {
            end(NOT_SENT);
          }
        }
        LOG.warn("a message to {} could not be sent", where(), e);
        return false;
      }
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
                    + "; this engine says some of up to "
                    + sessions.maxMessageBytes()));
        return false;
      }
      var _ = context().write(frame, context().voidPromise());
      any = true;
    }
    return any;
  }

  /** Sends a frame of the handshake. */
  final void send(byte[] frame) {
    var _ = context().writeAndFlush(Unpooled.wrappedBuffer(frame), context().voidPromise());
  }

  /** Sends a frame of the session. */
  final void send(int type, byte[] body) {
    if (codec != null) {
      ByteBuf frame = codec.encode(context().alloc(), type, body);
      var _ = context().writeAndFlush(frame, context().voidPromise());
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
    if (phase() == Phase.OPEN || phase() == Phase.KEYED) {
      if (why.code() == ErrorCode.CLOSED.value) {
        writeWaiting(true);
      }
      if (phase() != Phase.ENDED) {
        sayLast(FrameCodec.farewell(why));
      }
    }
  }

  private void sayLast(byte[] farewell) {
    try {
      send(FrameCodec.FAREWELL, farewell);
    } catch (RuntimeException | Error e) {
      LOG.warn("{} is not told why its session ends", where(), e); // it ends all the same
    }
  }

  @Override
  public boolean shut() {
    boolean first = super.shut();
    if (first && session != null) {
      session.end();
    }
    return first;
  }

  @Override
  protected final void onEnd(Failure why) {
    sessions.ended(this, why);
  }

  /** Reads on, after the engine did not keep up. */
  final void readOn() {
    if (phase() != Phase.ENDED) {
      channel().config().setAutoRead(true);
    }
  }

  @Override
  protected final void afterRead() {
    if (phase() == Phase.OPEN && sessions.events().isFull()) {
      channel().config().setAutoRead(false);
      sessions.awaitRoom(this);
    }
  }

  @Override
  public final int headBytes(int firstByte) {
    return phase() == Phase.HANDSHAKE ? Handshake.HEAD_BYTES : FrameCodec.HEAD_BYTES;
  }

  @Override
  public final void head(ByteBuffer whole) {
    if (phase() == Phase.HANDSHAKE) {
      head = new byte[whole.remaining()];
      whole.duplicate().get(head);
      reader().collect(handshakeBody(whole));
    } else {
      type = whole.get();
      reader().collect(bodyBytes(type, whole.getInt()) + FrameCodec.TAG_BYTES);
    }
  }

  private int bodyBytes(int type, int length) {
    int min = type == FrameCodec.FAREWELL ? FrameCodec.MIN_FAREWELL_BYTES : 0;
    int max =
        switch (type) {
          case FrameCodec.OPEN -> 0;
          case FrameCodec.MESSAGE -> phase() == Phase.OPEN ? sessions.maxMessageBytes() : -1;
          case FrameCodec.FAREWELL -> FrameCodec.MAX_FAREWELL_BYTES;
          default -> -1;
        };
    if (max < 0) {
      throw new ProtocolException(
          "expected a frame that may come now, got one of type " + (type & 0xff));
    }
    if (length < min || length > max) {
      throw new ProtocolException(
          "expected a frame of "
              + min
              + " to "
              + max
              + " bytes, got "
              + Integer.toUnsignedString(length));
    }
    return length;
  }

  @Override
  public final void collected(byte[] body) {
    if (phase() == Phase.HANDSHAKE) {
      byte[] frame = Arrays.copyOf(head, head.length + body.length); // the frame with its head
      System.arraycopy(body, 0, frame, head.length, body.length);
      handshake(frame);
      return;
    }
    ByteBuffer content = requireCodec().decode(type, body);
    if (type == FrameCodec.FAREWELL) {
      int code = Short.toUnsignedInt(content.getShort());
      end(new Failure(code, where() + " ended the session: " + PeerText.of(content)));
    } else if (phase() == Phase.OPEN && type == FrameCodec.MESSAGE) {
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

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext ctx) {
    if (ctx.channel().isWritable()) {
      drain();
    }
  }

  @Override
  protected final void sayWhy(Failure why) {
    if (phase() == Phase.HANDSHAKE && !isDialledHere()) {
      send(Handshake.encode(why));
    } else {
      sayFarewell(why);
    }
  }
}
