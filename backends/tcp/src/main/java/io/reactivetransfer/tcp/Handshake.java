package io.reactivetransfer.tcp;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.reactivetransfer.EngineId;
import io.reactivetransfer.Nic;
import io.reactivetransfer.control.socket.ErrorCode;
import io.reactivetransfer.control.socket.Failure;
import io.reactivetransfer.control.socket.ProtocolException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The frames before all others. All have a head of the same form for all versions to come (four
 * letters, the version, the length of the body), and so has the body of a refusal: an engine can
 * tell one of another version why it is refused.
 */
final class Handshake {

  static final int VERSION = 1;
  static final int HEAD_BYTES = Integer.BYTES + 2 * Short.BYTES;

  /** "RTTH": from the dialler. */
  private static final int HELLO = 0x52545448;

  /** "RTTC": from an acceptor that wants the hello to be proven. */
  private static final int CHALLENGE = 0x52545443;

  /** "RTTP": from the dialler, after a challenge. */
  private static final int PROOF = 0x52545450;

  /** "RTTA": the answer. Other letters, so that nobody takes its own hello for an answer. */
  private static final int ANSWER = 0x52545441;

  private static final int HELLO_BODY_BYTES = 2 * EngineId.BYTES + 1 + Authentication.NONCE_BYTES;
  private static final int WELCOME_BODY_BYTES = Short.BYTES + EngineId.BYTES;
  private static final int MAX_ANSWER_BODY_BYTES = Short.BYTES + Wire.MAX_TEXT_BYTES;
  private static final int WELCOME = 0;

  /** Room for any of them. */
  static final int MAX_BYTES = HEAD_BYTES + MAX_ANSWER_BODY_BYTES;

  /**
   * What the dialler says.
   *
   * @param dialler who it is
   * @param acceptor whom it wants
   * @param nicIndex which of its NICs connects
   * @param nonce random, another one each time
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Hello(EngineId dialler, EngineId acceptor, int nicIndex, byte[] nonce) {

    /** What names the connection that begins with it. */
    long connection() {
      return ByteBuffer.wrap(nonce).getLong();
    }

    /** Where it leads from the acceptor's NIC. */
    Path.Key pathOfAcceptor() {
      return new Path.Key(dialler, nicIndex);
    }
  }

  /** What the acceptor says, once or twice. */
  sealed interface Reply {}

  /**
   * Not before the dialler has proven that it has a session here, for this nonce too.
   *
   * @param nonce random, another one each time
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Challenge(byte[] nonce) implements Reply {}

  /**
   * Yes.
   *
   * @param acceptor who it is
   * @param proof that it has that session too, if it had challenged
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Welcome(EngineId acceptor, byte @Nullable [] proof) implements Reply {}

  /** No. */
  record Refusal(Failure why) implements Reply {}

  private Handshake() {}

  static ByteBuf putHello(ByteBuf out, Hello hello) {
    putHead(out, HELLO, HELLO_BODY_BYTES);
    Wire.putId(out, hello.dialler());
    Wire.putId(out, hello.acceptor());
    return out.writeByte(hello.nicIndex()).writeBytes(hello.nonce());
  }

  /** As it goes over the wire. */
  static byte[] bytesOf(Hello hello) {
    byte[] bytes = new byte[HEAD_BYTES + HELLO_BODY_BYTES];
    putHello(Unpooled.wrappedBuffer(bytes).clear(), hello);
    return bytes;
  }

  static ByteBuf putChallenge(ByteBuf out, Challenge challenge) {
    return putHead(out, CHALLENGE, challenge.nonce().length).writeBytes(challenge.nonce());
  }

  static ByteBuf putProof(ByteBuf out, byte[] proof) {
    return putHead(out, PROOF, proof.length).writeBytes(proof);
  }

  static ByteBuf putWelcome(ByteBuf out, Welcome welcome) {
    byte[] proof = welcome.proof() == null ? new byte[0] : welcome.proof();
    putHead(out, ANSWER, WELCOME_BODY_BYTES + proof.length).writeShort(WELCOME);
    Wire.putId(out, welcome.acceptor());
    return out.writeBytes(proof);
  }

  static ByteBuf putRefusal(ByteBuf out, Failure why) {
    byte[] text = Wire.textBytes(why.text());
    return putHead(out, ANSWER, Short.BYTES + text.length).writeShort(why.code()).writeBytes(text);
  }

  private static ByteBuf putHead(ByteBuf out, int letters, int bodyBytes) {
    return out.writeInt(letters).writeShort(VERSION).writeShort(bodyBytes);
  }

  /** Checks the head of a hello; the length of its body. */
  static int helloBody(ByteBuffer head) {
    return fromDialler(head, HELLO, "a hello", HELLO_BODY_BYTES);
  }

  /** Checks the head of a proof; the length of its body. */
  static int proofBody(ByteBuffer head) {
    return fromDialler(head, PROOF, "the proof of a hello", Authentication.PROOF_BYTES);
  }

  private static int fromDialler(ByteBuffer head, int letters, String what, int length) {
    if (head.getInt() != letters) {
      throw notOfThisProtocol(what);
    }
    requireVersion(Short.toUnsignedInt(head.getShort()));
    return requireLength(head, length, length);
  }

  static Hello hello(byte[] body) {
    ByteBuffer in = ByteBuffer.wrap(body);
    EngineId dialler = Wire.id(in);
    EngineId acceptor = Wire.id(in);
    int nicIndex = Byte.toUnsignedInt(in.get());
    if (nicIndex >= Nic.MAX_PER_ENGINE) {
      throw new ProtocolException(
          "expected a NIC index below " + Nic.MAX_PER_ENGINE + ", got " + nicIndex);
    }
    return new Hello(dialler, acceptor, nicIndex, rest(in));
  }

  /** Checks the head of a reply, of any version; the length of its body. */
  static int replyBody(ByteBuffer head) {
    int letters = head.getInt();
    if (letters == ANSWER) {
      head.getShort();
      return requireLength(head, Short.BYTES, MAX_ANSWER_BODY_BYTES);
    }
    if (letters == CHALLENGE) {
      requireVersion(Short.toUnsignedInt(head.getShort()));
      return requireLength(head, Authentication.NONCE_BYTES, Authentication.NONCE_BYTES);
    }
    throw notOfThisProtocol("an answer to the hello");
  }

  /** The reply with this head, which was checked, and this body. */
  static Reply reply(ByteBuffer head, byte[] body) {
    return head.getInt(0) == CHALLENGE ? new Challenge(body) : answer(version(head), body);
  }

  private static Reply answer(int version, byte[] body) {
    ByteBuffer in = ByteBuffer.wrap(body);
    int status = Short.toUnsignedInt(in.getShort());
    if (status != WELCOME) {
      return new Refusal(new Failure(status, Wire.text(rest(in))));
    }
    requireVersion(version);
    boolean hasProof = body.length == WELCOME_BODY_BYTES + Authentication.PROOF_BYTES;
    if (!hasProof && body.length != WELCOME_BODY_BYTES) {
      throw new ProtocolException(
          "expected a welcome of "
              + WELCOME_BODY_BYTES
              + " bytes, and "
              + Authentication.PROOF_BYTES
              + " more with a proof, got "
              + body.length);
    }
    return new Welcome(Wire.id(in), hasProof ? rest(in) : null);
  }

  private static byte[] rest(ByteBuffer in) {
    byte[] bytes = new byte[in.remaining()];
    in.get(bytes);
    return bytes;
  }

  /** The version that a head names. */
  private static int version(ByteBuffer head) {
    return Short.toUnsignedInt(head.getShort(Integer.BYTES));
  }

  private static void requireVersion(int version) {
    if (version != VERSION) {
      throw new ProtocolException(
          ErrorCode.VERSION,
          "expected version "
              + VERSION
              + " of the protocol, got "
              + version
              + "; use the same release of reactive-transfer on both sides");
    }
  }

  private static ProtocolException notOfThisProtocol(String expected) {
    return new ProtocolException(
        "expected "
            + expected
            + " of the reactive-transfer tcp protocol, got bytes that are something else");
  }

  private static int requireLength(ByteBuffer head, int min, int max) {
    int length = Short.toUnsignedInt(head.getShort());
    if (length < min || length > max) {
      String expected = min == max ? String.valueOf(min) : min + " to " + max;
      throw new ProtocolException("expected a handshake of " + expected + " bytes, got " + length);
    }
    return length;
  }
}
