package io.reactivetransfer.control;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import javax.crypto.KDF;
import javax.crypto.Mac;
import javax.crypto.SecretKey;
import javax.crypto.spec.HKDFParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/**
 * The keys of one session, which only its two engines know: for the frames in each direction, and
 * for what is derived for others (HKDF-SHA-256, RFC 5869).
 */
final class SessionKeys {

  static final int BYTES = 32;

  private static final String HMAC = "HmacSHA256";
  private static final KDF HKDF = newKdf();

  private final SecretKey root;
  private final byte[] transcript;

  /**
   * Derives them.
   *
   * @param salt the code of the cluster's secret over the transcript, or zeros without a secret
   * @param agreed what the key agreement came to
   * @param transcript the hash of all that was said
   */
  SessionKeys(byte[] salt, byte[] agreed, byte[] transcript) {
    this.transcript = transcript;
    try {
      root =
          HKDF.deriveKey(
              HMAC, HKDFParameterSpec.ofExtract().addIKM(agreed).addSalt(salt).extractOnly());
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("expected HKDF to take any key", e);
    }
  }

  /** For the frames of the side that dialled, or of the other one. */
  Mac frames(boolean ofDialler) {
    String label =
        ofDialler
            ? "reactive-transfer control frames of the dialler"
            : "reactive-transfer control frames of the acceptor";
    try {
      Mac mac = Mac.getInstance(HMAC);
      mac.init(new SecretKeySpec(expand(label), HMAC));
      return mac;
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("expected the JDK to have " + HMAC, e);
    }
  }

  /** For a use of its own, with a name of its own. */
  byte[] export(String label) {
    return expand("reactive-transfer control export " + label);
  }

  private byte[] expand(String label) {
    byte[] info = Credentials.concat(transcript, label.getBytes(StandardCharsets.UTF_8));
    try {
      return HKDF.deriveData(HKDFParameterSpec.expandOnly(root, info, BYTES));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("expected HKDF to take any key", e);
    }
  }

  private static KDF newKdf() {
    try {
      return KDF.getInstance("HKDF-SHA256");
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("expected the JDK to have HKDF-SHA256", e);
    }
  }
}
