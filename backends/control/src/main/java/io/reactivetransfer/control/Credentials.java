package io.reactivetransfer.control;

import io.reactivetransfer.ClusterSecret;
import io.reactivetransfer.control.socket.ProtocolException;
import io.reactivetransfer.spi.EngineIdentity;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.MessageDigest;
import java.security.PrivateKey;
import java.security.SecureRandom;
import java.security.spec.NamedParameterSpec;
import java.security.spec.X509EncodedKeySpec;
import java.util.List;
import java.util.function.Supplier;
import javax.crypto.KeyAgreement;

/**
 * What an engine proves itself with: its identity, and the secrets of its cluster, of which two may
 * be valid while they are renewed, which may happen at any time. For one thread; made outside of
 * the loop, because the first use of an algorithm reads files, and so does the seed of what is
 * random.
 */
final class Credentials {

  private static final String AGREEMENT = "X25519";

  private final EngineIdentity identity;
  private final Supplier<List<ClusterSecret>> valid;
  private ProvenSecrets secrets;
  private final SecureRandom random;
  private final KeyPairGenerator shares;

  /**
   * With these.
   *
   * @param valid gives none, ever, or the current one, or that and the previous one
   */
  Credentials(EngineIdentity identity, Supplier<List<ClusterSecret>> valid) {
    this(identity, valid, newRandom());
  }

  /** With those that are not renewed. */
  Credentials(EngineIdentity identity, List<ClusterSecret> secrets) {
    this(identity, () -> secrets);
  }

  /** With numbers that somebody else chooses. */
  Credentials(EngineIdentity identity, List<ClusterSecret> secrets, SecureRandom random) {
    this(identity, () -> secrets, random);
  }

  private Credentials(
      EngineIdentity identity, Supplier<List<ClusterSecret>> valid, SecureRandom random) {
    this.identity = identity;
    this.valid = valid;
    this.secrets = new ProvenSecrets(valid.get());
    this.random = random;
    try {
      shares = KeyPairGenerator.getInstance(AGREEMENT);
      shares.initialize(NamedParameterSpec.X25519, random);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("expected the JDK to have " + AGREEMENT, e);
    }
  }

  /**
   * A generator that is seeded by the operating system now, and only computes from then on, where
   * the usual one would read from the operating system, on the event loop.
   */
  private static SecureRandom newRandom() {
    try {
      SecureRandom random = SecureRandom.getInstance("DRBG");
      random.nextInt(); // the first one takes the seed
      return random;
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("expected the JDK to have the secure generator DRBG", e);
    }
  }

  EngineIdentity identity() {
    return identity;
  }

  /** The secrets that are valid now, for a handshake that begins. */
  ProvenSecrets secrets() {
    List<ClusterSecret> now = valid.get();
    if (!secrets.are(now)) {
      secrets = new ProvenSecrets(now);
    }
    return secrets;
  }

  byte[] newNonce() {
    byte[] nonce = new byte[Handshake.NONCE_BYTES];
    random.nextBytes(nonce);
    return nonce;
  }

  KeyPair newShare() {
    return shares.generateKeyPair();
  }

  /** What both halves of a key agreement come to. */
  static byte[] agree(PrivateKey own, byte[] others) {
    try {
      KeyAgreement agreement = KeyAgreement.getInstance(AGREEMENT);
      agreement.init(own);
      agreement.doPhase(
          KeyFactory.getInstance(AGREEMENT).generatePublic(new X509EncodedKeySpec(others)), true);
      return agreement.generateSecret();
    } catch (GeneralSecurityException e) {
      // Bytes that are no key, or one of those under which every agreement comes to the same.
      throw new ProtocolException("expected a public key of X25519, got bytes that are none");
    }
  }

  byte[] sign(String label, byte[] hash) {
    return identity.sign(labelled(label, hash));
  }

  /** Whether whoever has this public key signed that. */
  static boolean isSigned(byte[] key, String label, byte[] hash, byte[] signature) {
    return EngineIdentity.verify(EngineIdentity.idOf(key), key, labelled(label, hash), signature);
  }

  static byte[] labelled(String label, byte[] bytes) {
    return concat(label.getBytes(StandardCharsets.US_ASCII), bytes);
  }

  static byte[] concat(byte[] first, byte[] second) {
    byte[] both = new byte[first.length + second.length];
    System.arraycopy(first, 0, both, 0, first.length);
    System.arraycopy(second, 0, both, first.length, second.length);
    return both;
  }

  static byte[] hash(byte[]... parts) {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      for (byte[] part : parts) {
        digest.update(part);
      }
      return digest.digest();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("expected the JDK to have SHA-256", e);
    }
  }
}
