package io.reactivetransfer.tcp;

import io.reactivetransfer.ClusterSecret;
import io.reactivetransfer.control.Tls;
import io.reactivetransfer.fuzz.TestPki;
import io.reactivetransfer.spi.Backend;
import io.reactivetransfer.tck.Chapters;
import io.reactivetransfer.tck.Profile;
import io.reactivetransfer.tck.TransferConformance;

/** The same rules hold where both sides show certificates and prove a secret. */
@Chapters(
    value = {
      "Visibility",
      "Arrival",
      "Quiet",
      "LostPeer",
      "Abort",
      "Revocation",
      "Message",
      "Shutdown",
      "BackPressure",
      "Driver",
      "DriverLimit",
      "DriverWait",
      "DriverReport",
      "Barrier",
      "NicFailure",
      "Size",
      "Control"
    },
    unlessAll = true)
class SecureTcpConformanceTest extends TransferConformance {

  private static final Tls TLS = new TestPki().here(Tls::mutual);
  private static final ClusterSecret SECRET = ClusterSecret.of(new byte[ClusterSecret.MIN_BYTES]);

  @Override
  protected Backend backend() {
    return TcpBackend.builder().tls(TLS).secret(SECRET).build();
  }

  @Override
  protected Profile profile() {
    return Profile.defaults().withNicCounts(1, 2);
  }
}
