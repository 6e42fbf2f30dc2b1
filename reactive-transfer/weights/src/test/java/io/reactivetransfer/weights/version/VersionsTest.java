package io.reactivetransfer.weights.version;

import static io.reactivetransfer.weights.version.Cluster.await;
import static io.reactivetransfer.weights.version.Cluster.awaitState;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivetransfer.TransferException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;

/** Updates over real engines, with trainers that write plain bytes. */
class VersionsTest {

  private static void requireServes(Cluster cluster, int version) {
    for (WeightsRank rank : cluster.ranks) {
      await(rank.serving());
      try (VersionLease lease = rank.lease()) {
        assertThat(lease.version()).isEqualTo(version);
        assertThat(Cluster.read(lease)).isEqualTo(version);
      }
    }
  }

  private static void requireEnds(UpdateResult result, RankOutcome.End... ends) {
    assertThat(result.ranks().values()).extracting(RankOutcome::end).containsExactly(ends);
  }

  @ParameterizedTest
  @CsvSource({
    "loopback, TWO_BUFFERS_OUTLIVE", "loopback, TWO_BUFFERS_WAIT", "loopback, IN_PLACE",
    "tcp, TWO_BUFFERS_OUTLIVE", "tcp, TWO_BUFFERS_WAIT", "tcp, IN_PLACE"
  })
  void allRanksFlip(String backend, UpdateMode mode) {
    try (Cluster cluster = new Cluster(backend, 3, 2)) {
      requireServes(cluster, 0);
      for (int version = 1; version <= 4; version++) {
        UpdateResult result = await(cluster.update(version, mode));
        assertThat(result.isFlipped()).as("%s", result).isTrue();
        assertThat(result.isConfirmed()).isTrue();
        requireServes(cluster, version);
        // What it shows of itself is a moment behind what it reports.
        await(
            cluster
                .ranks
                .getFirst()
                .statuses()
                .filter(now -> now.update().equals(result.update()))
                .next());
      }
    }
  }

  @ParameterizedTest
  @MethodSource("io.reactivetransfer.weights.version.Cluster#carriers")
  void oldLeasesOutliveAFlip(String backend) throws Exception {
    try (Cluster cluster = new Cluster(backend, 2, 1)) {
      WeightsRank rank = cluster.ranks.getFirst();
      VersionLease old = rank.lease();
      assertThat(await(cluster.update(1, UpdateMode.TWO_BUFFERS_OUTLIVE)).isFlipped()).isTrue();
      assertThat(Cluster.read(old)).isZero();
      requireServes(cluster, 1);
      CompletableFuture<UpdateResult> next =
          cluster.update(2, UpdateMode.TWO_BUFFERS_OUTLIVE).toFuture();
      // It would write where the lease reads.
      assertThatThrownBy(() -> next.get(500, TimeUnit.MILLISECONDS))
          .isInstanceOf(java.util.concurrent.TimeoutException.class);
      assertThat(Cluster.read(old)).isZero();
      requireServes(cluster, 1);
      old.close();
      old.close(); // again does nothing
      assertThat(next.get(20, TimeUnit.SECONDS).isFlipped()).isTrue();
      requireServes(cluster, 2);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"TWO_BUFFERS_WAIT", "IN_PLACE"})
  void aFlipWaitsForLeases(UpdateMode mode) throws Exception {
    try (Cluster cluster = new Cluster("loopback", 2, 1)) {
      VersionLease old = cluster.ranks.get(1).lease();
      CompletableFuture<UpdateResult> update = cluster.update(1, mode).toFuture();
      await(cluster.ranks.get(1).statuses().filter(now -> now.state() == RankState.PAUSED).next());
      assertThat(cluster.ranks.get(1).tryLease()).isNull();
      assertThatThrownBy(() -> cluster.ranks.get(1).lease())
          .isInstanceOf(NotServingException.class)
          .hasMessageContaining("rank-1")
          .hasMessageContaining("waits until an update is over");
      assertThat(Cluster.read(old)).isZero();
      assertThat(update).isNotDone();
      old.close();
      assertThat(update.get(20, TimeUnit.SECONDS).isFlipped()).isTrue();
      requireServes(cluster, 1);
    }
  }

  @ParameterizedTest
  @MethodSource("io.reactivetransfer.weights.version.Cluster#carriers")
  void aTrainerThatFailsLeavesTheOldVersion(String backend) {
    try (Cluster cluster = new Cluster(backend, 2, 2)) {
      for (int chunks = 0; chunks < 8; chunks += 3) {
        cluster.trainers.get(1).chunksUntilFailure = chunks;
        UpdateResult result = await(cluster.update(7, UpdateMode.TWO_BUFFERS_OUTLIVE));
        assertThat(result.decision()).isEqualTo(UpdateResult.Decision.ABORTED);
        assertThat(result.reason()).contains("out of memory");
        requireEnds(result, RankOutcome.End.KEPT, RankOutcome.End.KEPT);
        requireServes(cluster, 0);
      }
      cluster.trainers.get(1).chunksUntilFailure = -1;
      assertThat(await(cluster.update(1, UpdateMode.TWO_BUFFERS_WAIT)).isFlipped()).isTrue();
      requireServes(cluster, 1);
    }
  }

  @ParameterizedTest
  @CsvSource({"loopback, IN_PLACE", "loopback, TWO_BUFFERS_OUTLIVE", "tcp, IN_PLACE"})
  void tornRanksAreMendedByAnotherUpdate(String backend, UpdateMode mendedBy) {
    try (Cluster cluster = new Cluster(backend, 2, 2)) {
      cluster.trainers.getFirst().chunksUntilFailure = 3;
      UpdateResult result = await(cluster.update(1, UpdateMode.IN_PLACE));
      assertThat(result.decision()).isEqualTo(UpdateResult.Decision.ABORTED);
      requireEnds(result, RankOutcome.End.TORN, RankOutcome.End.TORN);
      for (WeightsRank rank : cluster.ranks) {
        assertThat(rank.tryLease()).isNull();
        awaitState(rank, RankState.TORN);
        assertThatThrownBy(rank::lease).hasMessageContaining("torn");
      }
      cluster.trainers.getFirst().chunksUntilFailure = -1;
      assertThat(await(cluster.update(2, mendedBy)).isFlipped()).isTrue();
      requireServes(cluster, 2);
    }
  }

  @ParameterizedTest
  @MethodSource("io.reactivetransfer.weights.version.Cluster#carriers")
  void whatComesLateChangesNothing(String backend) {
    try (Cluster cluster = new Cluster(backend, 2, 2)) {
      cluster.trainers.get(1).chunksUntilFailure = 1;
      await(cluster.update(7, UpdateMode.TWO_BUFFERS_OUTLIVE));
      Cluster.TestTrainer late = cluster.trainers.getFirst();
      WriteOrder order = late.last;
      cluster.trainers.get(1).chunksUntilFailure = -1;
      for (int version = 1; version <= 3; version++) {
        for (RankTarget target : order.targets()) {
          Mono<Void> write = late.engine.submit(late.write(target, 0)).then();
          if (version == 1) {
            // A rank tells of the end before its key has ended: nobody reads what lands until then.
            await(write.onErrorComplete(TransferException.class));
          } else {
            assertThatThrownBy(() -> await(write)).isInstanceOf(TransferException.class);
          }
        }
        assertThat(await(cluster.update(version, UpdateMode.TWO_BUFFERS_OUTLIVE)).isFlipped())
            .isTrue();
        requireServes(cluster, version);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"loopback", "tcp"})
  void aRankThatIsLostEndsAnUpdateForAll(String backend) {
    try (Cluster cluster = new Cluster(backend, 3, 1)) {
      assertThat(await(cluster.update(1, UpdateMode.TWO_BUFFERS_OUTLIVE)).isFlipped()).isTrue();
      await(cluster.rankEngines.get(1).close());
      UpdateResult result = await(cluster.update(2, UpdateMode.TWO_BUFFERS_OUTLIVE));
      assertThat(result.decision()).isEqualTo(UpdateResult.Decision.ABORTED);
      assertThat(result.reason()).contains("rank-1");
      requireEnds(result, RankOutcome.End.KEPT, RankOutcome.End.UNCONFIRMED, RankOutcome.End.KEPT);
      cluster.ranks.remove(1);
      cluster.rankEngines.remove(1);
      requireServes(cluster, 1);
      assertThat(await(cluster.update(2, UpdateMode.IN_PLACE)).isFlipped()).isTrue();
      requireServes(cluster, 2);
      // Another one by the same name joins.
      cluster.addRank("rank-1");
      assertThat(await(cluster.update(3, UpdateMode.TWO_BUFFERS_OUTLIVE)).isFlipped()).isTrue();
      requireServes(cluster, 3);
    }
  }

  @ParameterizedTest
  @MethodSource("io.reactivetransfer.weights.version.Cluster#carriers")
  void aRankThatIsClosedSaysSo(String backend) {
    try (Cluster cluster = new Cluster(backend, 2, 1)) {
      WeightsRank closed = cluster.ranks.get(1);
      CompletableFuture<UpdateResult> update;
      try (VersionLease held = closed.lease()) {
        assertThat(held.version()).isZero();
        update = cluster.update(1, UpdateMode.IN_PLACE).toFuture();
        await(closed.statuses().filter(now -> now.state() == RankState.PAUSED).next());
        await(closed.close());
      }
      UpdateResult result = await(Mono.fromFuture(update));
      assertThat(result.decision()).isEqualTo(UpdateResult.Decision.ABORTED);
      assertThat(result.reason()).contains("rank-1");
      requireEnds(result, RankOutcome.End.KEPT, RankOutcome.End.UNCONFIRMED);
      assertThatThrownBy(closed::lease).hasMessageContaining("was closed");
      assertThatThrownBy(() -> await(closed.serving())).isInstanceOf(NotServingException.class);
    }
  }

  @ParameterizedTest
  @MethodSource("io.reactivetransfer.weights.version.Cluster#carriers")
  void anOlderControllerIsRefused(String backend) {
    try (Cluster cluster = new Cluster(backend, 2, 1)) {
      assertThat(await(cluster.update(1, UpdateMode.TWO_BUFFERS_OUTLIVE)).isFlipped()).isTrue();
      var engine = cluster.engine();
      WeightsController newer = WeightsController.open(engine);
      UpdateResult recovery = await(newer.recover(cluster.members(engine), Duration.ofSeconds(10)));
      assertThat(recovery.decision()).isEqualTo(UpdateResult.Decision.RECOVERED);
      UpdateResult refused = await(cluster.update(2, UpdateMode.TWO_BUFFERS_OUTLIVE));
      assertThat(refused.decision()).isEqualTo(UpdateResult.Decision.SUPERSEDED);
      requireServes(cluster, 1);
      // It may take over again, if the application says so.
      await(cluster.controller.recover(cluster.members(), Duration.ofSeconds(10)));
      assertThat(await(cluster.update(2, UpdateMode.TWO_BUFFERS_OUTLIVE)).isFlipped()).isTrue();
      requireServes(cluster, 2);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"loopback"})
  void whatIsWrongIsSaid(String backend) {
    try (Cluster cluster = new Cluster(backend, 2, 1)) {
      assertThatThrownBy(() ->
              cluster.controller.update(
                  cluster.order(1, UpdateMode.IN_PLACE),
                  cluster.members().subList(0, 1),
                  List.of()))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("expected arrivals at ranks [rank-0]");
      WeightsUpdate order = cluster.order(1, UpdateMode.IN_PLACE);
      assertThatThrownBy(() -> cluster.controller.update(order, cluster.members(), List.of()))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageStartingWith("expected 1 or more trainers, got none");
      WeightsTrainer trainer = WeightsTrainer.named("left", cluster.trainers.getFirst());
      List<WeightsTrainer> twice = List.of(trainer, cluster.trainers.getFirst(), trainer);
      assertThatThrownBy(() -> cluster.controller.update(order, cluster.members(), twice))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("expected each trainer once, got left twice");
      assertThatThrownBy(() -> cluster.controller.recover(List.of(), Duration.ofSeconds(1)))
          .isInstanceOf(IllegalArgumentException.class);
      VersionLease held = cluster.ranks.getFirst().lease();
      CompletableFuture<UpdateResult> first = cluster.update(1, UpdateMode.IN_PLACE).toFuture();
      assertThatThrownBy(() -> await(cluster.update(2, UpdateMode.IN_PLACE)))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("that does nothing");
      // Its cancel leaves all as it was.
      first.cancel(true);
      await(cluster.ranks.get(1).serving());
      held.close();
      requireServes(cluster, 0);
    }
  }
}
