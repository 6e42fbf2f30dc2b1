package io.reactivetransfer.moe;

/** The same over a network. */
class RegroupOverTcpTest extends RegroupTest {

  @Override
  Cluster open(int ranks) {
    return Cluster.tcp(ranks);
  }
}
