package io.reactivetransfer.tcp;

import io.netty.buffer.ByteBuf;
import io.reactivetransfer.EngineId;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * The first frame in each direction. Both have a head of the same form for all versions to come
 * (four letters, the version, the length of the body), and so has the body of a refusal: an engine
 * can tell one of another version why it is refused.
 */
final class Handshake {

  static final int VERSION = 1;
  static final int HEAD_BYTES = Integer.BYTES + 2 * Short.BYTES;

  /** "RTTH": from the origin. */
  private static final int HELLO = 0x52545448;

  /** "RTTA": the answer. Other letters, so that nobody takes its own hello for an answer. */
  private static final int ANSWER = 0x52545441;

  private static final int HELLO_BODY_BYTES = 2 * EngineId.BYTES + 1;
  private static final int WELCOME_BODY_BYTES = Short.BYTES + EngineId.BYTES + Integer.BYTES;
  private static final int MAX_ANSWER_BODY_BYTES = Short.BYTES + Wire.MAX_TEXT_BYTES;
  private static final int WELCOME = 0;

  /** Room for any of them. */
  static final int MAX_BYTES = HEAD_BYTES + MAX_ANSWER_BODY_BYTES;

  /**
   * What the origin says.
   *
   * @param origin who it is
   * @param target whom it wants
   * @param nicIndex which of its NICs connects
   */
  record Hello(EngineId origin, EngineId target, int nicIndex) {}

  /** What the target answers. */
  sealed interface Answer {}

  /**
   * Yes.
   *
   * @param target who it is
   * @param maxMessageBytes the longest message that it takes
   */
  record Welcome(EngineId target, int maxMessageBytes) implements Answer {}

  /** No. */
  record Refusal(Failure why) implements Answer {}

  private Handshake() {}

  static ByteBuf putHello(ByteBuf out, Hello hello) {
    out.writeInt(HELLO).writeShort(VERSION).writeShort(HELLO_BODY_BYTES);
    Wire.putId(out, hello.origin());
    Wire.putId(out, hello.target());
    return out.writeByte(hello.nicIndex());
  }

  static ByteBuf putWelcome(ByteBuf out, Welcome welcome) {
    out.writeInt(ANSWER).writeShort(VERSION).writeShort(WELCOME_BODY_BYTES).writeShort(WELCOME);
    Wire.putId(out, welcome.target());
    return out.writeInt(welcome.maxMessageBytes());
  }

  static ByteBuf putRefusal(ByteBuf out, Failure why) {
    byte[] text = Wire.textBytes(why.text());
    return out.writeInt(ANSWER)
        .writeShort(VERSION)
        .writeShort(Short.BYTES + text.length)
        .writeShort(why.code())
        .writeBytes(text);
  }

  /** Checks the head of a hello; the length of its body. */
  static int helloBody(ByteBuffer head) {
    requireMagic(head, HELLO, "a hello");
    int version = Short.toUnsignedInt(head.getShort());
    if (version != VERSION) {
      throw otherVersion(version);
    }
    return requireLength(head, HELLO_BODY_BYTES, HELLO_BODY_BYTES);
  }

  static Hello hello(byte[] body) {
    ByteBuffer in = ByteBuffer.wrap(body);
    return new Hello(Wire.id(in), Wire.id(in), Byte.toUnsignedInt(in.get()));
  }

  /** Checks the head of an answer, of any version; the length of its body. */
  static int answerBody(ByteBuffer head) {
    requireMagic(head, ANSWER, "an answer to the hello");
    head.getShort();
    return requireLength(head, Short.BYTES, MAX_ANSWER_BODY_BYTES);
  }

  static Answer answer(int version, byte[] body) {
    ByteBuffer in = ByteBuffer.wrap(body);
    int status = Short.toUnsignedInt(in.getShort());
    if (status != WELCOME) {
      byte[] text = Arrays.copyOfRange(body, Short.BYTES, body.length);
      return new Refusal(new Failure(status, Wire.text(text)));
    }
    if (version != VERSION) {
      throw otherVersion(version);
    }
    if (body.length != WELCOME_BODY_BYTES) {
      throw new ProtocolException(
          "expected a welcome of " + WELCOME_BODY_BYTES + " bytes, got " + body.length);
    }
    EngineId target = Wire.id(in);
    int maxMessageBytes = in.getInt();
    if (maxMessageBytes < 1) {
      throw new ProtocolException(
          "expected a longest message of 1 or more, got " + maxMessageBytes);
    }
    return new Welcome(target, maxMessageBytes);
  }

  /** The version that a head names. */
  static int version(ByteBuffer head) {
    return Short.toUnsignedInt(head.getShort(Integer.BYTES));
  }

  private static ProtocolException otherVersion(int version) {
    return new ProtocolException(
        ErrorCode.VERSION,
        "expected version "
            + VERSION
            + " of the protocol, got "
            + version
            + "; use the same release of reactive-transfer on both sides");
  }

  private static void requireMagic(ByteBuffer head, int magic, String what) {
    int got = head.getInt();
    if (got != magic) {
      throw new ProtocolException(
          "expected "
              + what
              + " of the reactive-transfer tcp protocol, got bytes that are something else");
    }
  }

  private static int requireLength(ByteBuffer head, int min, int max) {
    int length = Short.toUnsignedInt(head.getShort());
    if (length < min || length > max) {
      throw new ProtocolException(
          "expected a handshake of " + min + " to " + max + " bytes, got " + length);
    }
    return length;
  }
}
