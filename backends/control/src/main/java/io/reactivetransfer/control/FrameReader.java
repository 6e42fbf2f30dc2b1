package io.reactivetransfer.control;

import io.netty.buffer.ByteBuf;
import io.reactivetransfer.control.socket.ProtocolException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Puts the frames of one connection together from the pieces that they come in. Takes no length
 * that the other side may not send now, and only then makes room.
 */
final class FrameReader {

  private final Connection connection;
  private final byte[] head = new byte[Handshake.HEAD_BYTES];

  /** What belongs to the head that is here; null while one is coming in. */
  private byte @Nullable [] body;

  private int collected;

  FrameReader(Connection connection) {
    this.connection = connection;
  }

  /** Whether nothing of the next frame is here yet. */
  boolean isBetweenFrames() {
    return collected == 0 && body == null;
  }

  /** Takes what belongs to one head, or to what follows it, and hands a whole frame on. */
  void read(ByteBuf in) {
    int end = body == null ? headBytes() : body.length;
    int length = Math.min(end - collected, in.readableBytes());
    in.readBytes(body == null ? head : body, collected, length);
    collected += length;
    if (collected == end && body == null) {
      begin(end);
    }
    byte[] whole = body;
    if (whole != null && collected == whole.length) {
      body = null;
      collected = 0;
      if (isHandshake()) {
        connection.handshake(whole);
      } else {
        connection.frame(head[0], whole);
      }
    }
  }

  private boolean isHandshake() {
    return connection.phase() == Connection.Phase.HANDSHAKE;
  }

  private int headBytes() {
    return isHandshake() ? Handshake.HEAD_BYTES : FrameCodec.HEAD_BYTES;
  }

  /** A whole head is here: makes room for what belongs to it. */
  private void begin(int headBytes) {
    ByteBuffer whole = ByteBuffer.wrap(head, 0, headBytes);
    if (isHandshake()) { // whose frames are taken with their heads
      body = Arrays.copyOf(head, headBytes + connection.handshakeBody(whole));
    } else {
      int type = whole.get();
      body = new byte[bodyBytes(type, whole.getInt()) + FrameCodec.TAG_BYTES];
      collected = 0;
    }
  }

  private int bodyBytes(int type, int length) {
    int min = type == FrameCodec.FAREWELL ? FrameCodec.MIN_FAREWELL_BYTES : 0;
    int max =
        switch (type) {
          case FrameCodec.OPEN -> 0;
          case FrameCodec.MESSAGE ->
              connection.phase() == Connection.Phase.OPEN
                  ? connection.sessions().maxMessageBytes()
                  : -1;
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
}
