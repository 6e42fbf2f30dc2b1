package io.reactivetransfer.control;

import java.security.InvalidAlgorithmParameterException;
import java.security.InvalidKeyException;
import java.security.KeyFactory;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.SignatureException;
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
   * Where it cannot be seen, since Java here has no signatures of such a key, it is taken for
   * fitting.
   */
  public static boolean fits(Certificate certificate, PrivateKey key) {
    PublicKey its = certificate.getPublicKey();
    try {
      Signature signature = signature(its);
      signature.initSign(asOfTheJdk(key, its.getAlgorithm()));
      signature.update(SIGNED);
      byte[] signed = signature.sign();
      Signature verification = signature(its);
      verification.initVerify(its);
      verification.update(SIGNED);
      return verification.verify(signed);
    } catch (NoSuchAlgorithmException _) {
      return its.getAlgorithm().equals(key.getAlgorithm());
    } catch (InvalidKeyException
        | InvalidKeySpecException
        | InvalidAlgorithmParameterException
        | SignatureException _) { // a key of another kind, or length
      return false;
    }
  }

  /**
   * Others, such as Bouncy Castle's, call their keys otherwise, and the JDK does not take those.
   */
  private static PrivateKey asOfTheJdk(PrivateKey key, String algorithm)
      throws NoSuchAlgorithmException, InvalidKeySpecException {
    byte[] encoded = "PKCS#8".equals(key.getFormat()) ? key.getEncoded() : null;
    return encoded == null
        ? key // of a token, which keeps it
        : KeyFactory.getInstance(algorithm).generatePrivate(new PKCS8EncodedKeySpec(encoded));
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
