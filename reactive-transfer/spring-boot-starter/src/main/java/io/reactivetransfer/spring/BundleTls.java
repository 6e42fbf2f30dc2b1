package io.reactivetransfer.spring;

import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import io.reactivetransfer.control.Tls;
import java.lang.ref.WeakReference;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Supplier;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.ssl.NoSuchSslBundleException;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.boot.ssl.SslManagerBundle;
import org.springframework.boot.ssl.SslOptions;
import reactor.util.Logger;
import reactor.util.Loggers;

/**
 * Encrypts by an SSL bundle: connections that begin when it was updated have what is new. Says
 * which state of it they have, as details of the engine's health.
 */
final class BundleTls implements Supplier<Map<String, Object>> {

  private static final Logger LOG = Loggers.getLogger(BundleTls.class);
  private static final String PROTOCOL = "TLSv1.3";

  /** For both directions, of one state of the bundle. */
  private record Contexts(SslContext server, SslContext client, BundleDetails details) {}

  private final String name;
  private final boolean mutual;
  private final Rounds rounds = new Rounds();
  private volatile Contexts current;

  private BundleTls(String name, SslBundle bundle, boolean mutual) {
    this.name = name;
    this.mutual = mutual;
    this.current = contexts(bundle);
  }

  /**
   * By the bundle of this name. The bundles keep nothing of it: it follows them for as long as what
   * is returned is used.
   *
   * @param mutual whether those who connect must show a certificate, too
   * @param details is given what says which state of the bundle connections have
   * @throws IllegalArgumentException if there is none, it cannot be read, lacks a certificate, its
   *     key, or whom to trust, or has a key that is not the certificate's
   */
  static Tls of(
      String name,
      @Nullable SslBundles bundles,
      boolean mutual,
      Consumer<Supplier<Map<String, Object>>> details) {
    if (bundles == null) {
      throw new IllegalArgumentException("expected SSL bundles, got an application without any");
    }
    BundleTls tls;
    try {
      SslBundle first = bundles.getBundle(name);
      tls = new BundleTls(name, first, mutual);
      tls.follow(bundles, first);
    } catch (NoSuchSslBundleException e) {
      throw new IllegalArgumentException(
          "expected the name of an SSL bundle, got '" + name + "'; there are " + known(bundles), e);
    }
    details.accept(tls);
    return Tls.of(
        new ReloadedSslContext(() -> tls.current.server()),
        new ReloadedSslContext(() -> tls.current.client()));
  }

  private static List<String> known(SslBundles bundles) {
    return bundles.getBundleNames().stream().sorted().toList();
  }

  /**
   * Nobody who follows can be removed again, and bundles may live longer than engines: hence the
   * weak reference. An update that came before this one followed is seen by reading again.
   */
  private synchronized void follow(SslBundles bundles, SslBundle first) {
    WeakReference<BundleTls> follower = new WeakReference<>(this);
    bundles.addBundleUpdateHandler(
        name,
        bundle -> {
          BundleTls tls = follower.get();
          if (tls != null) {
            tls.updated(bundle);
          }
        });
    SslBundle now = bundles.getBundle(name);
    if (!now.equals(first)) {
      updated(now);
    }
  }

  private synchronized void updated(SslBundle bundle) {
    try {
      Contexts next = contexts(bundle);
      boolean isNew = !next.details().equals(current.details());
      current = next;
      rounds.read(isNew);
      LOG.info("SSL bundle '{}' was updated; new connections of engines have it", name);
    } catch (RuntimeException e) {
      rounds.refused(String.valueOf(e.getMessage()));
      LOG.error("SSL bundle '" + name + "' was updated and is refused; engines keep the old", e);
    }
  }

  @Override
  public Map<String, Object> get() {
    Map<String, Object> details = new LinkedHashMap<>();
    details.put("bundle", name);
    details.putAll(current.details().shown());
    details.putAll(rounds.shown());
    return details;
  }

  /** What is not there to be read says so with exceptions of many kinds. */
  private Contexts contexts(SslBundle bundle) {
    String missing;
    try {
      missing = missing(bundle);
      if (missing == null) {
        BundleDetails details = BundleDetails.of(bundle);
        return new Contexts(server(bundle), client(bundle), details);
      }
    } catch (RuntimeException | GeneralSecurityException | SSLException e) {
      throw new IllegalArgumentException(
          "expected an SSL bundle with a certificate, its key and whom to trust, got '"
              + name
              + "', of which no context can be made: "
              + e.getMessage(),
          e);
    }
    throw new IllegalArgumentException(
        "expected an SSL bundle with a certificate, its key and whom to trust, since every engine"
            + " both takes connections and makes them; got '"
            + name
            + "' without "
            + missing);
  }

  /** Java itself would go on: with no certificate to show, or with all public authorities. */
  private static @Nullable String missing(SslBundle bundle) throws GeneralSecurityException {
    KeyStore keys = bundle.getStores().getKeyStore();
    if (keys == null) {
      return "keystore";
    }
    for (String alias : Collections.list(keys.aliases())) {
      if (keys.isKeyEntry(alias)) {
        return bundle.getStores().getTrustStore() == null ? "truststore" : null;
      }
    }
    return "a key in its keystore (keystore.private-key)";
  }

  private SslContext server(SslBundle bundle) throws SSLException {
    SslManagerBundle managers = bundle.getManagers();
    SslContextBuilder builder = SslContextBuilder.forServer(managers.getKeyManagerFactory());
    if (mutual) {
      builder.trustManager(managers.getTrustManagerFactory()).clientAuth(ClientAuth.REQUIRE);
    }
    return build(builder, bundle);
  }

  private SslContext client(SslBundle bundle) throws SSLException {
    SslManagerBundle managers = bundle.getManagers();
    SslContextBuilder builder =
        SslContextBuilder.forClient().trustManager(managers.getTrustManagerFactory());
    if (mutual) {
      builder.keyManager(managers.getKeyManagerFactory());
    }
    return build(builder, bundle);
  }

  /** By the JDK, also where OpenSSL is on the class path: its contexts would have to be freed. */
  private static SslContext build(SslContextBuilder builder, SslBundle bundle) throws SSLException {
    SslOptions options = bundle.getOptions();
    String[] ciphers = options.getCiphers();
    String[] protocols = options.getEnabledProtocols();
    if (ciphers != null) {
      builder.ciphers(List.of(ciphers));
    }
    return builder
        .sslProvider(SslProvider.JDK)
        .protocols(protocols == null ? new String[] {PROTOCOL} : protocols)
        .build();
  }
}
