package io.reactivetransfer.spring;

import io.reactivetransfer.control.CertifiedKey;
import java.security.GeneralSecurityException;
import java.security.Key;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.ssl.SslBundle;

/**
 * Which certificates a state of an SSL bundle has: those that engines show, and those of whom they
 * trust, by their fingerprints.
 *
 * @param own of the certificates that engines show
 * @param expires when the first of them does, or null if none says so
 * @param trusted of the authorities, in order
 */
record BundleDetails(List<String> own, @Nullable Instant expires, List<String> trusted) {

  /** More authorities than a cluster has are all public ones, which nobody compares. */
  private static final int MAX_SHOWN = 16;

  /**
   * Reads them, and compares each certificate with its key.
   *
   * @throws IllegalArgumentException if one is of another key
   * @throws GeneralSecurityException if stores cannot be read
   */
  static BundleDetails of(SslBundle bundle) throws GeneralSecurityException {
    List<String> own = new ArrayList<>();
    Instant expires = null;
    for (Certificate each : certificatesOfKeys(bundle)) {
      own.add(CertifiedKey.fingerprint(each));
      if (each instanceof X509Certificate dated) {
        Instant its = dated.getNotAfter().toInstant();
        expires = expires == null || its.isBefore(expires) ? its : expires;
      }
    }
    return new BundleDetails(own, expires, trusted(bundle.getStores().getTrustStore()));
  }

  private static List<Certificate> certificatesOfKeys(SslBundle bundle)
      throws GeneralSecurityException {
    List<Certificate> all = new ArrayList<>();
    KeyStore keys = bundle.getStores().getKeyStore();
    if (keys == null) {
      return all;
    }
    String only = bundle.getKey().getAlias();
    for (String alias : Collections.list(keys.aliases())) {
      Certificate certificate = keys.getCertificate(alias);
      if (certificate != null
          && keys.isKeyEntry(alias)
          && (only == null || alias.equalsIgnoreCase(only))) {
        requireFits(alias, certificate, keys.getKey(alias, password(bundle)));
        all.add(certificate);
      }
    }
    return all;
  }

  /** As Spring Boot has it for its key managers. */
  private static char @Nullable [] password(SslBundle bundle) {
    String ofKey = bundle.getKey().getPassword();
    String password = ofKey == null ? bundle.getStores().getKeyStorePassword() : ofKey;
    return password == null ? null : password.toCharArray();
  }

  private static void requireFits(String alias, Certificate certificate, @Nullable Key key) {
    if (key instanceof PrivateKey its && !CertifiedKey.fits(certificate, its)) {
      throw new IllegalArgumentException(
          "its certificate '"
              + alias
              + "' ("
              + CertifiedKey.fingerprint(certificate)
              + ") is that of another key; have both files written that belong together");
    }
  }

  private static List<String> trusted(@Nullable KeyStore store) throws GeneralSecurityException {
    List<String> all = new ArrayList<>();
    if (store != null) {
      for (String alias : Collections.list(store.aliases())) {
        Certificate certificate = store.getCertificate(alias);
        if (certificate != null) {
          all.add(CertifiedKey.fingerprint(certificate));
        }
      }
    }
    Collections.sort(all);
    return all;
  }

  /** To be shown. */
  Map<String, Object> shown() {
    Map<String, Object> details = new LinkedHashMap<>();
    details.put("certificates", own);
    if (expires != null) {
      details.put("expires", expires.toString());
    }
    details.put("trusted", trusted.size() > MAX_SHOWN ? trusted.subList(0, MAX_SHOWN) : trusted);
    details.put("trustedCount", trusted.size());
    return details;
  }
}
