package io.reactivetransfer.moe;

import org.junit.jupiter.api.Tag;

/** The same over a network, over which KilledRankTest regroups in a usual build. */
@Tag("nightly")
class RegroupOverTcpTest extends RegroupTest {

  @Override
  Cluster open(int ranks) {
    return Cluster.tcp(ranks);
  }
}
