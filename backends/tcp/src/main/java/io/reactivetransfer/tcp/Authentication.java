package io.reactivetransfer.tcp;

import io.reactivetransfer.ClusterSecret;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Objects;
import java.util.function.Supplier;
import javax.crypto.Mac;
import org.jspecify.annotations.Nullable;

/**
 * Proves to the other side of a handshake that this engine knows the cluster secret, and checks
 * what the other side proves. Both nonces go into each proof, so none is of use a second time; and
 * the name of the role, so none can be sent back to where it came from.
 */
final class Authentication {

  static final int NONCE_BYTES = 32;
  static final int PROOF_BYTES = 32;

  /** Which side proves. */
  enum Role {
    ORIGIN("reactive-transfer tcp origin"),
    TARGET("reactive-transfer tcp target");

    private final String label;

    Role(String label) {
      this.label = label;
    }
  }

  private final Supplier<MemoryKey> random;
  private final @Nullable Mac mac;

  /**
   * Made outside of the loop: the first use of the algorithm reads files.
   *
   * @param random gives what nobody can guess
   * @param secret null to prove nothing and to ask for nothing
   */
  Authentication(Supplier<MemoryKey> random, @Nullable ClusterSecret secret) {
    this.random = random;
    this.mac = secret == null ? null : secret.newMac();
  }

  /** Whether there is a secret. */
  boolean isRequired() {
    return mac != null;
  }

  byte[] newNonce() {
    byte[] nonce = new byte[NONCE_BYTES];
    for (ByteBuffer rest = ByteBuffer.wrap(nonce); rest.hasRemaining(); ) {
      rest.put(random.get().encode());
    }
    return nonce;
  }

  /** What this role says to this hello and this challenge. */
  byte[] proof(Role role, Handshake.Hello hello, byte[] challenge) {
    Mac keyed = Objects.requireNonNull(mac, "only with a secret");
    keyed.update(role.label.getBytes(StandardCharsets.US_ASCII));
    keyed.update(Handshake.bytesOf(hello));
    keyed.update(challenge);
    return keyed.doFinal();
  }

  /** Whether it is the proof of that role; takes as long for any wrong one. */
  boolean holds(byte[] proof, Role role, Handshake.Hello hello, byte[] challenge) {
    return MessageDigest.isEqual(proof(role, hello, challenge), proof);
  }
}
