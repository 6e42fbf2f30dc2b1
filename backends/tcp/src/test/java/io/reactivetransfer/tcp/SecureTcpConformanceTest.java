package io.reactivetransfer.tcp;

import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.reactivetransfer.ClusterSecret;
import io.reactivetransfer.control.Tls;
import io.reactivetransfer.fuzz.TestPki;
import io.reactivetransfer.spi.Backend;
import io.reactivetransfer.tck.Chapters;
import io.reactivetransfer.tck.Profile;
import io.reactivetransfer.tck.TransferConformance;
import java.io.File;
import java.nio.file.Path;
import java.util.List;
import javax.net.ssl.SSLException;
import org.junit.jupiter.api.Tag;

/**
 * The same rules hold where both sides show certificates and prove a secret. That bytes come whole
 * which are encrypted, {@link TlsTest} shows in a usual build.
 */
@Chapters(
    value = {"LostPeer", "Message", "Control"},
    unlessAll = true)
// A usual build has these chapters without TLS, and TLS by TlsTest.
@Tag("merge")
class SecureTcpConformanceTest extends TransferConformance {

  /** The tests' compiler has no instructions of AES: with it they would take five times as long. */
  private static final List<String> CIPHERS = List.of("TLS_CHACHA20_POLY1305_SHA256");

  private static final Tls TLS = new TestPki().here(SecureTcpConformanceTest::mutual);
  private static final ClusterSecret SECRET = ClusterSecret.of(new byte[ClusterSecret.MIN_BYTES]);

  /** As {@link Tls#mutual}, which has a test of its own, but for the ciphers. */
  private static Tls mutual(Path certificates, Path key, Path trusted) {
    File own = certificates.toFile();
    File secret = key.toFile();
    SslContextBuilder server =
        SslContextBuilder.forServer(own, secret).clientAuth(ClientAuth.REQUIRE);
    SslContextBuilder client = SslContextBuilder.forClient().keyManager(own, secret);
    return Tls.of(context(server, trusted), context(client, trusted));
  }

  private static SslContext context(SslContextBuilder builder, Path trusted) {
    try {
      return builder.trustManager(trusted.toFile()).protocols("TLSv1.3").ciphers(CIPHERS).build();
    } catch (SSLException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  protected Backend backend() {
    return TcpBackend.builder().tls(TLS).secret(SECRET).build();
  }

  @Override
  protected Profile profile() {
    return Profile.defaults().withNicCounts(1, 2);
  }
}
