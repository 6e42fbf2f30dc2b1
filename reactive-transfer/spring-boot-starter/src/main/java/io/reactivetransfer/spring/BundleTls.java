package io.reactivetransfer.spring;

import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.reactivetransfer.control.Tls;
import java.util.List;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.ssl.NoSuchSslBundleException;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.boot.ssl.SslManagerBundle;
import org.springframework.boot.ssl.SslOptions;
import reactor.util.Logger;
import reactor.util.Loggers;

/** Encrypts by an SSL bundle: connections that begin when it was updated have what is new. */
final class BundleTls {

  private static final Logger LOG = Loggers.getLogger(BundleTls.class);
  private static final String PROTOCOL = "TLSv1.3";

  private final String name;
  private final boolean mutual;
  private final ReloadedSslContext server;
  private final ReloadedSslContext client;

  private BundleTls(String name, SslBundle bundle, boolean mutual) {
    this.name = name;
    this.mutual = mutual;
    this.server = new ReloadedSslContext(server(bundle));
    this.client = new ReloadedSslContext(client(bundle));
  }

  /**
   * By the bundle of this name.
   *
   * @param mutual whether those who connect must show a certificate, too
   * @throws IllegalArgumentException if there is none, or it has no certificate
   */
  static Tls of(String name, @Nullable SslBundles bundles, boolean mutual) {
    if (bundles == null) {
      throw new IllegalArgumentException("expected SSL bundles, got an application without any");
    }
    BundleTls tls;
    try {
      tls = new BundleTls(name, bundles.getBundle(name), mutual);
      bundles.addBundleUpdateHandler(name, tls::updated);
    } catch (NoSuchSslBundleException e) {
      throw new IllegalArgumentException(
          "expected the name of an SSL bundle, got '" + name + "'; there are " + known(bundles), e);
    }
    return Tls.of(tls.server, tls.client);
  }

  private static List<String> known(SslBundles bundles) {
    return bundles.getBundleNames().stream().sorted().toList();
  }

  private void updated(SslBundle bundle) {
    try {
      SslContext newServer = server(bundle);
      SslContext newClient = client(bundle);
      server.set(newServer);
      client.set(newClient);
      LOG.info("SSL bundle '{}' was updated; new connections of engines have it", name);
    } catch (RuntimeException e) {
      LOG.error("SSL bundle '" + name + "' was updated and is refused; engines keep the old", e);
    }
  }

  private SslContext server(SslBundle bundle) {
    SslManagerBundle managers = bundle.getManagers();
    SslContextBuilder builder = SslContextBuilder.forServer(managers.getKeyManagerFactory());
    if (mutual) {
      builder.trustManager(managers.getTrustManagerFactory()).clientAuth(ClientAuth.REQUIRE);
    }
    return build(builder, bundle);
  }

  private SslContext client(SslBundle bundle) {
    SslManagerBundle managers = bundle.getManagers();
    SslContextBuilder builder =
        SslContextBuilder.forClient().trustManager(managers.getTrustManagerFactory());
    if (mutual) {
      builder.keyManager(managers.getKeyManagerFactory());
    }
    return build(builder, bundle);
  }

  private SslContext build(SslContextBuilder builder, SslBundle bundle) {
    SslOptions options = bundle.getOptions();
    String[] ciphers = options.getCiphers();
    String[] protocols = options.getEnabledProtocols();
    if (ciphers != null) {
      builder.ciphers(List.of(ciphers));
    }
    try {
      return builder.protocols(protocols == null ? new String[] {PROTOCOL} : protocols).build();
    } catch (SSLException e) {
      throw new IllegalArgumentException(
          "expected an SSL bundle with a certificate, its key and whom to trust, got '"
              + name
              + "', of which no context can be made: "
              + e.getMessage(),
          e);
    }
  }
}
