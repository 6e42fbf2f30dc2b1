package io.reactivetransfer.tcp;

import io.reactivetransfer.spi.Backend;
import io.reactivetransfer.tck.Chapters;
import io.reactivetransfer.tck.Profile;
import io.reactivetransfer.tck.TransferConformance;
import org.junit.jupiter.api.Tag;

/** What depends on addresses, over IPv6; and all the rest, each night. */
@Chapters(
    value = {"LostPeer", "Abort", "Message", "Shutdown", "Driver", "Barrier"},
    unlessAll = true)
// A usual build has these chapters over IPv4, and addresses of IPv6 by HostsTest.
@Tag("merge")
class Ipv6ConformanceTest extends TransferConformance {

  @Override
  protected Backend backend() {
    return new Ipv6();
  }

  @Override
  protected Profile profile() {
    return Profile.defaults().withNicCounts(1, 2).skipIfUnavailable();
  }
}
