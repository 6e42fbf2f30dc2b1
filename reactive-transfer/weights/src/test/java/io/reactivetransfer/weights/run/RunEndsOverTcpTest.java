package io.reactivetransfer.weights.run;

/** The same over a network. */
class RunEndsOverTcpTest extends RunEndsTest {

  @Override
  Cluster open() {
    return Cluster.tcp();
  }
}
