package io.reactivetransfer.weights.version;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Leases that are open can be counted, and closed ones lead to no memory. */
@Timeout(60)
class OpenLeasesTest {

  @Test
  void thoseOfAnOldVersionCountToo() {
    try (Cluster cluster = new Cluster("loopback", 1, 1)) {
      WeightsRank rank = cluster.ranks.getFirst();
      assertThat(rank.openLeases()).isZero();
      VersionLease old = rank.lease();
      assertThat(rank.openLeases()).isEqualTo(1);
      UpdateResult result =
          cluster.update(5, UpdateMode.TWO_BUFFERS_OUTLIVE).block(Cluster.PATIENCE);
      assertThat(result.isFlipped()).isTrue();
      VersionLease now = rank.lease();
      assertThat(rank.openLeases()).isEqualTo(2);
      old.close();
      old.close();
      assertThat(rank.openLeases()).isEqualTo(1);
      now.close();
      assertThat(rank.openLeases()).isZero();
    }
  }

  @Test
  void aClosedOneLeadsToNoMemory() {
    try (Cluster cluster = new Cluster("loopback", 1, 1)) {
      VersionLease lease = cluster.ranks.getFirst().lease();
      assertThat(lease).hasToString("open lease of version 0 at rank rank-0");
      assertThat(lease.regions()).hasSize(1);
      lease.close();
      assertThat(lease).hasToString("closed lease of version 0 at rank rank-0");
      assertThatThrownBy(lease::regions)
          .isInstanceOf(IllegalStateException.class)
          .hasMessageStartingWith(
              "expected a lease that is open, got a closed lease of version 0 at rank rank-0:");
    }
  }
}
