package io.reactivetransfer.weights.run;

import org.junit.jupiter.api.Tag;

/**
 * The same over a network, where a usual build has updates that arrive (RandomUpdatesTest,
 * RemoteUpdatesTest) and ranks that recover (RecoveryTest), but no run that ends early.
 */
@Tag("nightly")
class RunEndsOverTcpTest extends RunEndsTest {

  @Override
  Cluster open() {
    return Cluster.tcp();
  }
}
