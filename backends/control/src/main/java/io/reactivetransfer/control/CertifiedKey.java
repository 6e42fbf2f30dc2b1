package io.reactivetransfer.control;

import java.security.GeneralSecurityException;
import java.security.InvalidAlgorithmParameterException;
import java.security.Key;
import java.security.KeyFactory;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.cert.Certificate;
import java.security.cert.CertificateEncodingException;
import java.security.interfaces.RSAKey;
import java.security.spec.AlgorithmParameterSpec;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.MGF1ParameterSpec;
import java.security.spec.PKCS8EncodedKeySpec;
import java.security.spec.PSSParameterSpec;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Locale;

/**
 * Whether a certificate and a private key belong together, and how a certificate is called. Java
 * makes contexts of any two, and only peers would find that they do not fit. For what makes such
 * contexts.
 */
public final class CertifiedKey {

  private static final byte[] SIGNED = new byte[32];
  private static final int SHOWN_BYTES = 4;
  private static final PSSParameterSpec PSS =
      new PSSParameterSpec("SHA-256", "MGF1", MGF1ParameterSpec.SHA256, 32, 1);

  private CertifiedKey() {}

  /**
   * Whether the certificate is that of the key: what the key signs is verified by the certificate.
   * Where that cannot be seen, since Java here has no signatures of such a key, or its token makes
   * no such signature as is asked of it, both are taken for fitting if their algorithms are called
   * alike.
   */
  public static boolean fits(Certificate certificate, PrivateKey key) {
    PublicKey its = certificate.getPublicKey();
    byte[] encoded = "PKCS#8".equals(key.getFormat()) ? key.getEncoded() : null;
    try {
      return verifies(its, encoded == null ? key : asOfTheJdk(encoded, its.getAlgorithm()));
    } catch (NoSuchAlgorithmException _) {
      return areCalledAlike(its, key);
    } catch (GeneralSecurityException | RuntimeException _) {
      // an encoded key is one of another kind, or length; of a token's nothing is known
      return encoded == null && areCalledAlike(its, key);
    }
  }

  private static boolean verifies(PublicKey its, PrivateKey key) throws GeneralSecurityException {
    Signature signature = signature(its);
    signature.initSign(key);
    signature.update(SIGNED);
    byte[] signed = signature.sign();
    Signature verification = signature(its);
    verification.initVerify(its);
    verification.update(SIGNED);
    return verification.verify(signed);
  }

  private static boolean areCalledAlike(PublicKey its, PrivateKey key) {
    return kind(its).equals(kind(key));
  }

  /** What signs in one way only is called so by some, and by others as all of its kind. */
  private static String kind(Key key) {
    String algorithm = key.getAlgorithm().toUpperCase(Locale.ROOT);
    return switch (algorithm) {
      case "RSASSA-PSS" -> "RSA";
      case "ECDSA" -> "EC";
      case "ED25519", "ED448" -> "EDDSA";
      default -> algorithm;
    };
  }

  /**
   * Others, such as Bouncy Castle's, call their keys otherwise, and the JDK does not take those.
   */
  private static PrivateKey asOfTheJdk(byte[] encoded, String algorithm)
      throws NoSuchAlgorithmException, InvalidKeySpecException {
    return KeyFactory.getInstance(algorithm).generatePrivate(new PKCS8EncodedKeySpec(encoded));
  }

  private static Signature signature(PublicKey key)
      throws NoSuchAlgorithmException, InvalidAlgorithmParameterException {
    String algorithm = key.getAlgorithm();
    if (algorithm.equals("RSASSA-PSS")) {
      Signature signature = Signature.getInstance(algorithm);
      AlgorithmParameterSpec bound = key instanceof RSAKey rsa ? rsa.getParams() : null;
      signature.setParameter(bound == null ? PSS : bound);
      return signature;
    }
    return Signature.getInstance(
        switch (algorithm) {
          case "RSA" -> "SHA256withRSA";
          case "EC" -> "SHA256withECDSA";
          case "DSA" -> "SHA256withDSA";
          default -> algorithm; // such as EdDSA: signatures that are called like their keys
        });
  }

  /**
   * The first 8 hexadecimal digits of the SHA-256 of the certificate, as {@code openssl x509
   * -fingerprint -sha256} begins: enough to tell by eye which one of a few it is.
   */
  public static String fingerprint(Certificate certificate) {
    try {
      byte[] digest = MessageDigest.getInstance("SHA-256").digest(certificate.getEncoded());
      return HexFormat.of().formatHex(Arrays.copyOf(digest, SHOWN_BYTES));
    } catch (CertificateEncodingException e) {
      throw new IllegalArgumentException("expected a certificate that can be encoded", e);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("expected the JDK to have SHA-256", e);
    }
  }
}
