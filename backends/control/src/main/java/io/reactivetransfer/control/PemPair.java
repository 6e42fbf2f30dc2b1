package io.reactivetransfer.control;

import io.netty.handler.ssl.SslContext;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.List;

/**
 * What two PEM files hold, read once, so that what was checked is what is used.
 *
 * @param chain the engine's own certificate, then those between it and the trusted one
 * @param key that of the first certificate
 */
record PemPair(List<X509Certificate> chain, PrivateKey key) {

  /** As Netty reads them, whose methods only a context may call. */
  private abstract static class Reader extends SslContext {

    static PemPair read(Path certificates, Path key) throws IOException, GeneralSecurityException {
      return new PemPair(
          List.of(toX509Certificates(certificates.toFile())), toPrivateKey(key.toFile(), null));
    }
  }

  /**
   * Reads and compares them. Blocks while it reads.
   *
   * @throws IllegalArgumentException if they hold something else, or do not belong together
   */
  static PemPair read(Path certificates, Path key) {
    PemPair pair;
    try {
      pair = Reader.read(certificates, key);
    } catch (IOException | GeneralSecurityException | RuntimeException e) {
      throw new IllegalArgumentException(
          "expected PEM certificates in "
              + certificates
              + " and their PKCS#8 key in "
              + key
              + ", got "
              + got(key, e),
          e);
    }
    if (!CertifiedKey.fits(pair.chain.getFirst(), pair.key)) {
      throw new IllegalArgumentException(
          "expected a certificate in "
              + certificates
              + " that fits the key in "
              + key
              + ", got one of another key; its own must be the first one in the file");
    }
    return pair;
  }

  /** Netty takes an encrypted key for one of a kind that it does not know. */
  private static String got(Path key, Exception e) {
    if (isEncrypted(key)) {
      return "a key that is encrypted; openssl pkcs8 -topk8 -nocrypt makes one that is not";
    }
    String why = e.getMessage();
    return why == null ? "something else" : "something else: " + why;
  }

  private static boolean isEncrypted(Path key) {
    try {
      String text = Files.readString(key, StandardCharsets.ISO_8859_1);
      return text.contains("ENCRYPTED PRIVATE KEY") || text.contains("Proc-Type: 4,ENCRYPTED");
    } catch (IOException _) {
      return false;
    }
  }
}
