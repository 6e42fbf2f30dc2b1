package io.reactivetransfer.moe;

/** The same over a network. */
class StepsOverTcpTest extends StepsTest {

  @Override
  Cluster open(int ranks) {
    return Cluster.tcp(ranks);
  }

  @Override
  int rounds() {
    return Math.ceilDiv(super.rounds(), 3);
  }

  @Override
  int maxRanks() {
    return 4;
  }
}
