package io.reactivetransfer.weights.run;

import org.junit.jupiter.api.Tag;

/** The same over a network, which RandomUpdatesTest and RemoteUpdatesTest have in a usual build. */
@Tag("nightly")
class RunEndsOverTcpTest extends RunEndsTest {

  @Override
  Cluster open() {
    return Cluster.tcp();
  }
}
