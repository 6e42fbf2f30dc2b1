package io.reactivetransfer.moe;

import org.junit.jupiter.api.Tag;

/** The same over a network, over which KilledRankTest loses a rank in a usual build. */
@Tag("nightly")
class FailureOverTcpTest extends FailureTest {

  @Override
  Cluster open(int ranks) {
    return Cluster.tcp(ranks);
  }
}
