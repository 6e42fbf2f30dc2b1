package io.reactivetransfer.control;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.reactivetransfer.control.socket.ErrorCode;
import io.reactivetransfer.control.socket.Failure;
import io.reactivetransfer.control.socket.ProtocolException;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import javax.crypto.Mac;

/**
 * The frames of a session: a type, a length, a body, and a tag that only the two engines can make,
 * for this frame at this place of the stream. So nobody can put a frame in, take one out, change or
 * repeat one, or send it back, without the session ending.
 */
final class FrameCodec {

  /** First from the side that has dialled: the session has begun. No body. */
  static final int OPEN = 1;

  /** A message of the engine. */
  static final int MESSAGE = 2;

  /** The sender ends the session: a code, then a text. */
  static final int FAREWELL = 3;

  static final int HEAD_BYTES = 1 + Integer.BYTES;
  static final int TAG_BYTES = 16;
  static final int MIN_FAREWELL_BYTES = Short.BYTES;
  static final int MAX_FAREWELL_BYTES = Short.BYTES + Handshake.MAX_TEXT_BYTES;

  private final Mac out;
  private final Mac in;
  private final byte[] fullTag;
  private final ByteBuffer prefix = ByteBuffer.allocate(Long.BYTES + HEAD_BYTES);
  private long sent;
  private long received;

  FrameCodec(SessionKeys keys, boolean isDialler) {
    out = keys.frames(isDialler);
    in = keys.frames(!isDialler);
    fullTag = new byte[out.getMacLength()];
  }

  /** A frame has a number once there is memory for it: the other side waits for each of them. */
  ByteBuf encode(ByteBufAllocator buffers, int type, byte[] body) {
    ByteBuf frame = buffers.directBuffer(HEAD_BYTES + body.length + TAG_BYTES);
    tag(out, sent++, type, body, body.length);
    return frame
        .writeByte(type)
        .writeInt(body.length)
        .writeBytes(body)
        .writeBytes(fullTag, 0, TAG_BYTES);
  }

  static byte[] farewell(Failure why) {
    byte[] text = Handshake.textBytes(why.text());
    return ByteBuffer.allocate(Short.BYTES + text.length)
        .putShort((short) why.code())
        .put(text)
        .array();
  }

  /**
   * Checks the tag of a frame.
   *
   * @param bodyAndTag as they came
   * @return the body
   */
  ByteBuffer decode(int type, byte[] bodyAndTag) {
    int length = bodyAndTag.length - TAG_BYTES;
    tag(in, received++, type, bodyAndTag, length);
    ByteBuffer tag = ByteBuffer.wrap(bodyAndTag, length, TAG_BYTES).slice();
    byte[] got = new byte[TAG_BYTES];
    tag.get(got);
    byte[] expected = java.util.Arrays.copyOf(fullTag, TAG_BYTES);
    if (!MessageDigest.isEqual(expected, got)) {
      throw new ProtocolException(
          ErrorCode.UNAUTHENTICATED,
          "expected a frame with the tag of this session, got one that something in between has"
              + " changed, repeated, dropped or made");
    }
    return ByteBuffer.wrap(bodyAndTag, 0, length);
  }

  private void tag(Mac mac, long number, int type, byte[] body, int length) {
    prefix.clear().putLong(number).put((byte) type).putInt(length);
    try {
      mac.update(prefix.array());
      mac.update(body, 0, length);
      mac.doFinal(fullTag, 0);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("expected room for a whole tag", e);
    }
  }
}
