package io.reactivetransfer.control;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.HostPort;
import io.reactivetransfer.control.socket.ErrorCode;
import io.reactivetransfer.control.socket.Failure;
import io.reactivetransfer.control.socket.ProtocolException;
import io.reactivetransfer.spi.EngineIdentity;
import io.reactivetransfer.spi.PeerText;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The frames before all others. All have a head of the same form for all versions to come (four
 * letters, the version, the length of the body), and so has the body of a refusal: an engine can
 * tell one of another version why it is refused.
 */
@SuppressWarnings("ArrayRecordComponent") // no record here is ever compared
final class Handshake {

  static final int VERSION = 1;
  static final int HEAD_BYTES = Integer.BYTES + 2 * Short.BYTES;

  static final int NONCE_BYTES = 32;

  /** A public key of Ed25519 or X25519 in its X.509 encoding (RFC 8410). */
  static final int KEY_BYTES = 44;

  static final int SIGNATURE_BYTES = 64;
  static final int PROOF_BYTES = 32;
  static final int MAX_PROOFS = 2;
  static final int MAX_TEXT_BYTES = 512;

  /** All that engines say fits, but the longer parts of messages of the application. */
  static final int MIN_MESSAGE_BYTES = 4 * 1024;

  private static final int MAX_BACKEND_BYTES = 32;
  private static final int IPV4_BYTES = 4;
  private static final int IPV6_BYTES = 16;
  private static final int WELCOME = 0;

  /** Which frame it is, by its letters, and how long its body may be. */
  enum Kind {
    /** From the side that dials. */
    HELLO("RTCH", "a hello", 2 * NONCE_BYTES, 512),
    /** From the side that was dialled, which says nothing of itself yet. */
    CHALLENGE("RTCC", "a challenge", NONCE_BYTES + 2, NONCE_BYTES + 2),
    /** From the side that dials, after a challenge. */
    PROOF("RTCP", "a proof", SIGNATURE_BYTES + 1, SIGNATURE_BYTES + 1 + MAX_PROOFS * PROOF_BYTES),
    /** From the side that was dialled: yes, with its own proof, or no. */
    ANSWER("RTCA", "an answer", Short.BYTES, Short.BYTES + MAX_TEXT_BYTES);

    private final int letters;
    private final String text;
    private final int minBytes;
    private final int maxBytes;

    Kind(String letters, String text, int minBytes, int maxBytes) {
      this.letters = ByteBuffer.wrap(letters.getBytes(StandardCharsets.US_ASCII)).getInt();
      this.text = text;
      this.minBytes = minBytes;
      this.maxBytes = maxBytes;
    }
  }

  /**
   * What the dialling side says first.
   *
   * @param key its public key, of which its id is made
   * @param nonce random, another one each time
   * @param share its half of the key agreement
   * @param wanted whom it wants, or null for whoever is there
   * @param number how many times it has dialled so far, this time included
   * @param maxMessageBytes the longest message that it takes
   * @param bindings what it can bind the handshake to, as bits of {@link Binding}
   * @param dialled where it was told to dial
   * @param address the IP address that it has dialled
   * @param backend for which its engine is
   */
  record Hello(
      byte[] key,
      byte[] nonce,
      byte[] share,
      @Nullable EngineId wanted,
      long number,
      int maxMessageBytes,
      int bindings,
      HostPort dialled,
      byte[] address,
      String backend) {

    EngineId engine() {
      return EngineIdentity.idOf(key);
    }
  }

  /**
   * What the side that was dialled says to that.
   *
   * @param nonce random, another one each time
   * @param wantsSecret whether a proof of a cluster secret is needed
   * @param binding what both bind the handshake to, one of {@link Binding}
   */
  record Challenge(byte[] nonce, boolean wantsSecret, int binding) {}

  /**
   * Who dials is who it says, and knows the secret.
   *
   * @param secrets a proof for each secret that the dialling side has
   */
  record Proof(byte[] signature, List<byte[]> secrets) {}

  /**
   * Yes.
   *
   * @param key the public key of the side that was dialled
   * @param share its half of the key agreement
   * @param maxMessageBytes the longest message that it takes
   * @param session the number under which it dialled the session that it has with the dialling side
   *     already; 0 if it has none, or did not dial it
   * @param signature over all that was said
   * @param secret proof of the secret, if one was wanted
   */
  record Welcome(
      byte[] key,
      byte[] share,
      int maxMessageBytes,
      long session,
      byte[] signature,
      byte @Nullable [] secret) {

    EngineId engine() {
      return EngineIdentity.idOf(key);
    }
  }

  /** Bytes of a welcome before its signature, and with the status before it. */
  static final int WELCOME_BYTES = Short.BYTES + 2 * KEY_BYTES + Integer.BYTES + Long.BYTES;

  private Handshake() {}

  static byte[] encode(Hello hello) {
    EngineId wanted = hello.wanted();
    ByteBuffer out =
        body(Kind.HELLO)
            .put(hello.key())
            .put(hello.nonce())
            .put(hello.share())
            .putLong(wanted == null ? 0 : wanted.high())
            .putLong(wanted == null ? 0 : wanted.low())
            .putLong(hello.number())
            .putInt(hello.maxMessageBytes())
            .put((byte) hello.bindings())
            .putShort((short) hello.dialled().port());
    putCounted(out, hello.dialled().host().getBytes(StandardCharsets.US_ASCII));
    putCounted(out, hello.address());
    putCounted(out, hello.backend().getBytes(StandardCharsets.US_ASCII));
    return frame(out);
  }

  static byte[] encode(Challenge challenge) {
    return frame(
        body(Kind.CHALLENGE)
            .put(challenge.nonce())
            .put((byte) (challenge.wantsSecret() ? 1 : 0))
            .put((byte) challenge.binding()));
  }

  static byte[] encode(Proof proof) {
    ByteBuffer out = body(Kind.PROOF).put(proof.signature()).put((byte) proof.secrets().size());
    proof.secrets().forEach(out::put);
    return frame(out);
  }

  static byte[] encode(Welcome welcome) {
    ByteBuffer out =
        body(Kind.ANSWER)
            .putShort((short) WELCOME)
            .put(welcome.key())
            .put(welcome.share())
            .putInt(welcome.maxMessageBytes())
            .putLong(welcome.session())
            .put(welcome.signature());
    if (welcome.secret() != null) {
      out.put(welcome.secret());
    }
    return frame(out);
  }

  static byte[] encode(Failure refusal) {
    return frame(body(Kind.ANSWER).putShort((short) refusal.code()).put(textBytes(refusal.text())));
  }

  private static ByteBuffer body(Kind kind) {
    return ByteBuffer.allocate(HEAD_BYTES + kind.maxBytes)
        .putInt(kind.letters)
        .putShort((short) VERSION)
        .putShort((short) 0);
  }

  private static byte[] frame(ByteBuffer out) {
    out.putShort(HEAD_BYTES - Short.BYTES, (short) (out.position() - HEAD_BYTES));
    return take(out.flip(), out.limit());
  }

  private static void putCounted(ByteBuffer out, byte[] bytes) {
    out.put((byte) bytes.length).put(bytes);
  }

  /** Checks the head of what must be of one of these kinds; the length of its body. */
  static int bodyBytes(ByteBuffer head, Kind... expected) {
    int letters = head.getInt();
    for (Kind kind : expected) {
      if (kind.letters == letters) {
        if (kind != Kind.ANSWER) { // which may be a refusal, and say so in any version
          requireVersion(Short.toUnsignedInt(head.getShort(Integer.BYTES)));
        }
        int length = Short.toUnsignedInt(head.getShort(HEAD_BYTES - Short.BYTES));
        if (length < kind.minBytes || length > kind.maxBytes) {
          String lengths =
              kind.minBytes == kind.maxBytes
                  ? String.valueOf(kind.minBytes)
                  : kind.minBytes + " to " + kind.maxBytes;
          throw new ProtocolException(
              "expected " + kind.text + " of " + lengths + " bytes, got " + length);
        }
        return length;
      }
    }
    throw new ProtocolException(
        "expected "
            + expected[0].text
            + " of reactive-transfer's control channel, got bytes that are something else");
  }

  static boolean isA(Kind kind, byte[] frame) {
    return ByteBuffer.wrap(frame).getInt() == kind.letters;
  }

  static Hello hello(byte[] frame) {
    return decode(
        frame,
        in -> {
          byte[] key = identityKey(in);
          byte[] nonce = take(in, NONCE_BYTES);
          byte[] share = take(in, KEY_BYTES);
          EngineId wanted = new EngineId(in.getLong(), in.getLong());
          long number = in.getLong();
          int maxMessageBytes = in.getInt();
          int bindings = in.get();
          int port = Short.toUnsignedInt(in.getShort());
          HostPort dialled = hostPort(text(in, HostPort.MAX_HOST), port);
          byte[] address = ipAddress(in);
          String backend = text(in, MAX_BACKEND_BYTES);
          require(number > 0, "a dial of number 1 or more", number);
          requireRoomForFrames(maxMessageBytes);
          boolean anyone = wanted.high() == 0 && wanted.low() == 0;
          return new Hello(
              key,
              nonce,
              share,
              anyone ? null : wanted,
              number,
              maxMessageBytes,
              bindings,
              dialled,
              address,
              backend);
        });
  }

  static Challenge challenge(byte[] frame) {
    return decode(
        frame,
        in -> {
          byte[] nonce = take(in, NONCE_BYTES);
          int wantsSecret = in.get();
          require(wantsSecret >> 1 == 0, "0 or 1, for whether a secret is wanted", wantsSecret);
          return new Challenge(nonce, wantsSecret == 1, in.get());
        });
  }

  static Proof proof(byte[] frame) {
    return decode(
        frame,
        in -> {
          byte[] signature = take(in, SIGNATURE_BYTES);
          int count = Byte.toUnsignedInt(in.get());
          require(count <= MAX_PROOFS, "0 to 2 proofs of a secret", count);
          List<byte[]> secrets = new ArrayList<>();
          for (int i = 0; i < count; i++) {
            secrets.add(take(in, PROOF_BYTES));
          }
          return new Proof(signature, secrets);
        });
  }

  /** The refusal that an answer is, or null for a welcome. */
  static @Nullable Failure refusal(byte[] frame) {
    ByteBuffer in = ByteBuffer.wrap(frame).position(HEAD_BYTES);
    int status = Short.toUnsignedInt(in.getShort());
    return status == WELCOME ? null : new Failure(status, PeerText.of(in));
  }

  static Welcome welcome(byte[] frame) {
    requireVersion(Short.toUnsignedInt(ByteBuffer.wrap(frame).getShort(Integer.BYTES)));
    return decode(
        frame,
        in -> {
          in.getShort();
          byte[] key = identityKey(in);
          byte[] share = take(in, KEY_BYTES);
          int maxMessageBytes = in.getInt();
          long session = in.getLong();
          requireRoomForFrames(maxMessageBytes);
          byte[] signature = take(in, SIGNATURE_BYTES);
          byte[] secret = in.hasRemaining() ? take(in, PROOF_BYTES) : null;
          return new Welcome(key, share, maxMessageBytes, session, signature, secret);
        });
  }

  private interface Body<T> {
    T read(ByteBuffer in);
  }

  /** Whatever is shorter or longer than its kind allows is refused. */
  private static <T> T decode(byte[] frame, Body<T> body) {
    ByteBuffer in = ByteBuffer.wrap(frame).position(HEAD_BYTES);
    try {
      T decoded = body.read(in);
      require(!in.hasRemaining(), "the end of a frame of the handshake", in.remaining());
      return decoded;
    } catch (BufferUnderflowException e) {
      throw new ProtocolException(
          "expected more of a frame of the handshake, got its end after "
              + frame.length
              + " bytes");
    }
  }

  private static byte[] take(ByteBuffer in, int length) {
    byte[] bytes = new byte[length];
    in.get(bytes);
    return bytes;
  }

  private static byte[] counted(ByteBuffer in, int max) {
    int length = Byte.toUnsignedInt(in.get());
    require(length <= max, "at most " + max + " bytes", length);
    return take(in, length);
  }

  private static byte[] identityKey(ByteBuffer in) {
    byte[] key = take(in, KEY_BYTES);
    if (SmallOrder.isOf(key)) {
      throw new ProtocolException(
          "expected a public key of Ed25519, got one of small order, for which anybody can sign");
    }
    return key;
  }

  private static byte[] ipAddress(ByteBuffer in) {
    byte[] address = counted(in, IPV6_BYTES);
    require(
        address.length == IPV4_BYTES || address.length == IPV6_BYTES,
        "an IP address of 4 or 16 bytes",
        address.length);
    return address;
  }

  private static void requireRoomForFrames(int maxMessageBytes) {
    require(
        maxMessageBytes >= MIN_MESSAGE_BYTES,
        "a longest message of " + MIN_MESSAGE_BYTES + " bytes or more, as engines say them",
        maxMessageBytes);
  }

  private static String text(ByteBuffer in, int max) {
    return new String(counted(in, max), StandardCharsets.ISO_8859_1);
  }

  private static HostPort hostPort(String host, int port) {
    try {
      return new HostPort(host, port);
    } catch (IllegalArgumentException e) {
      throw new ProtocolException(String.valueOf(e.getMessage()));
    }
  }

  /** A reason as it goes out: what does not fit is cut off. */
  static byte[] textBytes(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    return bytes.length <= MAX_TEXT_BYTES ? bytes : Arrays.copyOf(bytes, MAX_TEXT_BYTES);
  }

  private static void require(boolean holds, String expected, long got) {
    if (!holds) {
      throw new ProtocolException("expected " + expected + ", got " + got);
    }
  }

  private static void requireVersion(int version) {
    if (version != VERSION) {
      throw new ProtocolException(
          ErrorCode.VERSION,
          "expected version "
              + VERSION
              + " of the control channel's protocol, got "
              + version
              + "; use the same release of reactive-transfer on both sides");
    }
  }
}
