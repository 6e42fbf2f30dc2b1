package io.reactivetransfer.tcp;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.control.socket.ErrorCode;
import io.reactivetransfer.control.socket.ProtocolException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.function.Supplier;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * Proves to the other side of a handshake that this engine has a session with it, and checks what
 * the other side proves: by a key of the session, which only its two engines know. Both nonces go
 * into each proof, so none is of use a second time; the name of the role, so none can be sent back
 * to where it came from; and the certificate of the acceptor, so none is passed on by who ends TLS
 * in between.
 */
final class Authentication {

  static final int NONCE_BYTES = 32;
  static final int PROOF_BYTES = 32;

  /** Which side proves. */
  enum Role {
    DIALLER("reactive-transfer tcp dialler"),
    ACCEPTOR("reactive-transfer tcp acceptor");

    private final String label;

    Role(String label) {
      this.label = label;
    }
  }

  /** Of whom it knows a key, and which one. */
  interface Sessions {

    /** The key of the present session with that engine, or null if there is none. */
    byte @Nullable [] key(EngineId peer);
  }

  private static final String ALGORITHM = "HmacSHA256";

  private final Supplier<MemoryKey> random;
  private final EngineId self;
  private final @Nullable Sessions sessions;

  /**
   * For one engine.
   *
   * @param random gives what nobody can guess
   * @param sessions null to prove nothing and to ask for nothing
   */
  Authentication(Supplier<MemoryKey> random, EngineId self, @Nullable Sessions sessions) {
    this.random = random;
    this.self = self;
    this.sessions = sessions;
  }

  /** Whether proofs are needed. */
  boolean isRequired() {
    return sessions != null;
  }

  byte[] newNonce() {
    byte[] nonce = new byte[NONCE_BYTES];
    for (ByteBuffer rest = ByteBuffer.wrap(nonce); rest.hasRemaining(); ) {
      rest.put(random.get().encode());
    }
    return nonce;
  }

  /**
   * What this role says to this hello and this challenge.
   *
   * @param certificate the hash of what the acceptor has shown under TLS, or no bytes
   */
  byte[] proof(Role role, Handshake.Hello hello, byte[] challenge, byte[] certificate) {
    Mac keyed = mac(hello.dialler().equals(self) ? hello.acceptor() : hello.dialler());
    keyed.update(role.label.getBytes(StandardCharsets.US_ASCII));
    keyed.update(Handshake.bytesOf(hello));
    keyed.update(challenge);
    keyed.update(certificate);
    return keyed.doFinal();
  }

  private Mac mac(EngineId peer) {
    byte[] key = sessions == null ? null : sessions.key(peer);
    if (key == null) {
      throw new ProtocolException(
          ErrorCode.UNAUTHENTICATED,
          "expected a session with engine "
              + peer.toShortString()
              + ", got a connection without one");
    }
    try {
      Mac mac = Mac.getInstance(ALGORITHM);
      mac.init(new SecretKeySpec(key, ALGORITHM));
      return mac;
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("expected the JDK to have " + ALGORITHM, e);
    }
  }

  /** Whether it is the proof of that role; takes as long for any wrong one. */
  boolean holds(
      byte[] proof, Role role, Handshake.Hello hello, byte[] challenge, byte[] certificate) {
    return MessageDigest.isEqual(proof(role, hello, challenge, certificate), proof);
  }
}
