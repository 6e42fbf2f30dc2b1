package io.reactivetransfer.control;

import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.util.Objects;
import javax.net.ssl.SSLException;

/**
 * How the connections of an engine are encrypted. An engine both takes connections and makes them,
 * so it needs the server's side and the client's: a certificate to show, and the certificates of
 * those that it trusts. Certificates must name the host or the address under which the engine is
 * reached (its advertised host), or others refuse them.
 *
 * <p>TLS 1.3 of the JDK, unless the contexts are the caller's own.
 */
public final class Tls {

  private static final String PROTOCOL = "TLSv1.3";

  private final SslContext server;
  private final SslContext client;

  private Tls(SslContext server, SslContext client) {
    this.server = server;
    this.client = client;
  }

  /**
   * Connections are encrypted, and whoever connects knows that the target is the right one; the
   * target does not know who connects, so a cluster secret is asked for too.
   *
   * @param certificates PEM file: the engine's own certificate, then those between it and the
   *     trusted one
   * @param key PEM file (PKCS#8, not encrypted): the private key of the first certificate
   * @param trusted PEM file: who may have signed the certificates of others
   * @throws IllegalArgumentException if a file cannot be read or does not hold that, or the first
   *     certificate is not that of the key; the text names the file
   */
  public static Tls server(Path certificates, Path key, Path trusted) {
    return ofPem(certificates, key, trusted, false);
  }

  /**
   * As {@link #server}, and whoever connects must show a certificate too, signed by one of the
   * trusted.
   */
  public static Tls mutual(Path certificates, Path key, Path trusted) {
    return ofPem(certificates, key, trusted, true);
  }

  /**
   * With contexts of the caller's own: for encrypted keys, key stores, OpenSSL, other protocols or
   * ciphers. What they check is the caller's business; {@link SslContext#isClient()} must be right.
   *
   * @param server for the connections that others make
   * @param client for the connections that this engine makes
   */
  public static Tls of(SslContext server, SslContext client) {
    if (!Objects.requireNonNull(server, "server").isServer()
        || !Objects.requireNonNull(client, "client").isClient()) {
      throw new IllegalArgumentException(
          "expected a context for servers, then one for clients, got "
              + kind(server)
              + ", then "
              + kind(client));
    }
    return new Tls(server, client);
  }

  private static String kind(SslContext context) {
    return context.isClient() ? "one for clients" : "one for servers";
  }

  private static Tls ofPem(Path certificates, Path key, Path trusted, boolean mutual) {
    requireReadable(certificates);
    requireReadable(key);
    requireReadable(trusted);
    PemPair own = PemPair.read(certificates, key);
    X509Certificate[] chain = own.chain().toArray(X509Certificate[]::new);
    SslContextBuilder forServer = SslContextBuilder.forServer(own.key(), chain);
    SslContextBuilder forClient = SslContextBuilder.forClient();
    String notTrusted = "expected PEM certificates in " + trusted;
    pem(notTrusted, () -> forClient.trustManager(trusted.toFile()));
    if (mutual) {
      pem(notTrusted, () -> forServer.trustManager(trusted.toFile()));
      forServer.clientAuth(ClientAuth.REQUIRE);
      forClient.keyManager(own.key(), chain);
    }
    try {
      return new Tls(forServer.protocols(PROTOCOL).build(), forClient.protocols(PROTOCOL).build());
    } catch (SSLException e) {
      throw new IllegalArgumentException(
          "expected certificates in "
              + certificates
              + " and a key in "
              + key
              + " of which TLS can be made: "
              + e.getMessage(),
          e);
    }
  }

  private static SslContextBuilder pem(
      String expected, java.util.function.Supplier<SslContextBuilder> parse) {
    try {
      return parse.get();
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(expected + ", got something else", e);
    }
  }

  private static void requireReadable(Path file) {
    if (!Files.isReadable(file)) {
      throw new IllegalArgumentException("expected a readable file, got none at " + file);
    }
  }

  SslContext server() {
    return server;
  }

  SslContext client() {
    return client;
  }

  /** Says nothing of what it holds. */
  @Override
  public String toString() {
    return "Tls";
  }
}
