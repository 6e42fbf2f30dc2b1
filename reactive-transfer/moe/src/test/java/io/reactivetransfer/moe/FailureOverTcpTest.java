package io.reactivetransfer.moe;

/** The same over a network. */
class FailureOverTcpTest extends FailureTest {

  @Override
  Cluster open(int ranks) {
    return Cluster.tcp(ranks);
  }
}
