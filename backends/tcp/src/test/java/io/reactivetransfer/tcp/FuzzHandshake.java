package io.reactivetransfer.tcp;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.reactivetransfer.EngineId;
import io.reactivetransfer.control.socket.Failure;
import io.reactivetransfer.fuzz.Input;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * All that the fuzzers know of the handshake: its bytes, and what docs/wire-format.md says must
 * become of others.
 */
final class FuzzHandshake {

  private static final int HEAD_BYTES = 8;
  private static final int HELLO_BYTES = 65;
  private static final int NONCE_BYTES = 32;
  private static final int WELCOME_BYTES = 18;
  private static final int MAX_ANSWER_BYTES = 514;

  /** With no reason. */
  static final int MIN_ANSWER_BYTES = HEAD_BYTES + 2;

  /** What the nonces of its NICs consist of. */
  static final MemoryKey HALF_A_NONCE = new MemoryKey(0x5a5a5a5a5a5a5a5aL, 0xa5a5a5a5a5a5a5a5L);

  /** What is to become of the bytes that came so far. */
  sealed interface Verdict {

    /** It is not complete. */
    record More() implements Verdict {}

    /** A side was refused, or refuses, with this code. */
    record Refused(int code) implements Verdict {}

    /** The target welcomes this origin. */
    record Greeted(EngineId origin, int nic) implements Verdict {}

    /** The origin is welcome. */
    record Welcomed() implements Verdict {}

    /** The other side has broken the protocol; it is told so with this code. */
    record Violated(int code) implements Verdict {}
  }

  private static final Verdict MORE = new Verdict.More();

  private FuzzHandshake() {}

  static byte[] hello(EngineId origin, EngineId target, int nic) {
    ByteBuf out = Unpooled.buffer();
    ByteBuffer nonce = ByteBuffer.allocate(NONCE_BYTES);
    nonce.put(HALF_A_NONCE.encode()).put(HALF_A_NONCE.encode());
    return bytes(Handshake.putHello(out, new Handshake.Hello(origin, target, nic, nonce.array())));
  }

  static byte[] welcome(EngineId target) {
    ByteBuf out = Unpooled.buffer();
    return bytes(Handshake.putWelcome(out, new Handshake.Welcome(target, null)));
  }

  /** A proof that nobody has asked for. */
  static byte[] provenWelcome(Input in, EngineId target) {
    byte[] proof = in.bytes(NONCE_BYTES);
    return bytes(Handshake.putWelcome(Unpooled.buffer(), new Handshake.Welcome(target, proof)));
  }

  static byte[] refusal(Input in) {
    Failure why = new Failure((int) in.edge() & 0xffff, HostileTarget.text(in, 600));
    return bytes(Handshake.putRefusal(Unpooled.buffer(), why));
  }

  static byte[] bytes(ByteBuf out) {
    byte[] bytes = new byte[out.readableBytes()];
    out.readBytes(bytes);
    return bytes;
  }

  /** What a target must do with the first so many bytes of a connection. */
  static Verdict judgeHello(byte[] bytes, int count, EngineId target) {
    if (count < HEAD_BYTES) {
      return MORE;
    }
    ByteBuffer in = ByteBuffer.wrap(bytes);
    if (!letters(in).equals("RTTH")) {
      return new Verdict.Refused(1);
    }
    if (in.getShort() != 1) {
      return new Verdict.Refused(2);
    }
    if (in.getShort() != HELLO_BYTES) {
      return new Verdict.Refused(1);
    }
    if (count < HEAD_BYTES + HELLO_BYTES) {
      return MORE;
    }
    EngineId origin = new EngineId(in.getLong(), in.getLong());
    EngineId wanted = new EngineId(in.getLong(), in.getLong());
    int index = Byte.toUnsignedInt(in.get());
    if (index >= 8) {
      return new Verdict.Refused(1); // no engine has as many NICs
    }
    return wanted.equals(target) ? new Verdict.Greeted(origin, index) : new Verdict.Refused(3);
  }

  /** What an origin must do with the first so many bytes that it gets. */
  static Verdict judgeAnswer(byte[] bytes, int count, EngineId target) {
    if (count < HEAD_BYTES) {
      return MORE;
    }
    ByteBuffer in = ByteBuffer.wrap(bytes);
    String letters = letters(in);
    if (letters.equals("RTTC")) {
      return judgeChallenge(in, count);
    }
    if (!letters.equals("RTTA")) {
      return new Verdict.Violated(1);
    }
    int version = Short.toUnsignedInt(in.getShort());
    int length = Short.toUnsignedInt(in.getShort());
    if (length < 2 || length > MAX_ANSWER_BYTES) {
      return new Verdict.Violated(1);
    }
    if (count < HEAD_BYTES + length) {
      return MORE;
    }
    int status = Short.toUnsignedInt(in.getShort());
    if (status != 0) {
      return new Verdict.Refused(status);
    }
    if (version != 1) {
      return new Verdict.Violated(2);
    }
    if (length != WELCOME_BYTES) { // nobody here has challenged anybody
      return new Verdict.Violated(1);
    }
    EngineId who = new EngineId(in.getLong(), in.getLong());
    return who.equals(target) ? new Verdict.Welcomed() : new Verdict.Violated(3);
  }

  /** Nobody here has a secret. */
  private static Verdict judgeChallenge(ByteBuffer in, int count) {
    if (in.getShort() != 1) {
      return new Verdict.Violated(2);
    }
    if (in.getShort() != NONCE_BYTES) {
      return new Verdict.Violated(1);
    }
    return count < HEAD_BYTES + NONCE_BYTES ? MORE : new Verdict.Violated(10);
  }

  static byte[] challenge(Input in) {
    byte[] nonce = in.bytes(in.chance(80) ? NONCE_BYTES : in.below(2 * NONCE_BYTES));
    return bytes(Handshake.putChallenge(Unpooled.buffer(), new Handshake.Challenge(nonce)));
  }

  /** How many of these bytes are the answer, which must be complete. */
  static int answerBytes(byte[] bytes) {
    return HEAD_BYTES + Short.toUnsignedInt(ByteBuffer.wrap(bytes).getShort(6));
  }

  /** The code of the refusal that these bytes begin with, or 0 if they begin with a welcome. */
  static int refusal(byte[] bytes) {
    return Short.toUnsignedInt(ByteBuffer.wrap(bytes).getShort(HEAD_BYTES));
  }

  /** How many of these bytes are what an origin says first. */
  static int helloBytes() {
    return HEAD_BYTES + HELLO_BYTES;
  }

  private static String letters(ByteBuffer in) {
    byte[] letters = new byte[4];
    in.get(letters);
    return new String(letters, StandardCharsets.ISO_8859_1);
  }

  /** What an origin sends first, damaged so that it is nearly right. */
  static byte[] nearlyHello(Input in, byte[] hello) {
    byte[] bytes = hello.clone();
    switch (in.below(3)) {
      case 0 -> bytes[in.below(HEAD_BYTES)] ^= (byte) (1 << in.below(8));
      case 1 -> bytes[HEAD_BYTES + in.below(bytes.length - HEAD_BYTES)] ^= (byte) in.anyInt();
      default -> bytes = Arrays.copyOf(bytes, in.below(bytes.length));
    }
    return bytes;
  }
}
