package io.reactivetransfer.weights.version;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivetransfer.EngineOptions;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.weights.check.Checksums;
import io.reactivetransfer.weights.remote.RemoteTrainers;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;

/** Whoever waits for the end of what is one for each engine can open it there again. */
@Timeout(120)
class OpenedAgainTest {

  @Test
  void aControllerBehindAnUpdate() {
    try (Cluster cluster = new Cluster("loopback", 2, 1)) {
      WeightsController controller = cluster.controller;
      for (int i = 1; i <= 300; i++) {
        UpdateResult result =
            controller
                .update(
                    cluster.order(i % 100, UpdateMode.TWO_BUFFERS_OUTLIVE),
                    cluster.members(),
                    cluster.trainers)
                .block(Cluster.PATIENCE);
        assertThat(result.isFlipped()).as("%s", result).isTrue();
        controller.close();
        controller.closed().block(Cluster.PATIENCE);
        controller = WeightsController.open(cluster.controllerEngine);
      }
    }
  }

  @Test
  void remoteTrainersAndChecksums() {
    try (Cluster cluster = new Cluster("loopback", 0, 0)) {
      TransferEngine engine = cluster.engine();
      for (int i = 0; i < 100; i++) {
        RemoteTrainers trainers = RemoteTrainers.open(engine);
        Checksums checksums = Checksums.open(engine);
        trainers.close();
        checksums.close();
        Mono.when(trainers.closed(), checksums.closed()).block(Cluster.PATIENCE);
      }
    }
  }

  @Test
  void theEndOfTheEngineClosesThemAll() {
    try (Cluster cluster = new Cluster("loopback", 0, 0)) {
      TransferEngine engine = cluster.engine();
      Mono<Void> closed =
          Mono.when(
              WeightsController.open(engine).closed(),
              RemoteTrainers.open(engine).closed(),
              Checksums.open(engine).closed());
      engine.close().then(closed).block(Cluster.PATIENCE);
    }
  }

  private static MemorySegment[] regions(int count) {
    return Stream.generate(() -> Arena.ofAuto().allocate(8))
        .limit(count)
        .toArray(MemorySegment[]::new);
  }

  private static Mono<WeightsRank> open(TransferEngine engine, int regions) {
    return WeightsRank.on(engine, "rank-0")
        .buffer(WeightsBuffer.of(regions(regions)))
        .unverified()
        .open();
  }

  /** Its messages could not say where to write: it would refuse each update. */
  @ParameterizedTest
  @ValueSource(ints = {1_024, 4_000, 8_192})
  void aRankOfMoreRegionsThanItsMessagesHaveRoomForIsRefused(int maxMessageBytes) {
    try (Cluster cluster = new Cluster("loopback", 0, 0)) {
      EngineOptions options = EngineOptions.builder().maxMessageBytes(maxMessageBytes).build();
      TransferEngine engine = cluster.engine(options);
      assertThatThrownBy(() -> open(engine, 1_024).block(Cluster.PATIENCE))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageMatching(
              "expected messages of at least \\d+ bytes on the engine of rank rank-0, whose"
                  + " buffers have 1024 regions \\(EngineOptions.maxMessageBytes\\), got "
                  + maxMessageBytes);
      if (maxMessageBytes > 4_300) { // what was registered is closed
        assertThat(open(engine, 10).block(Cluster.PATIENCE)).isNotNull();
      } else {
        assertThatThrownBy(() -> open(engine, 1).block(Cluster.PATIENCE))
            .isInstanceOf(IllegalArgumentException.class)
            .hasMessageContaining("whose buffers have 1 region (");
      }
    }
  }

  @Test
  void aControllerWhoseMessagesAreTooShortSaysHowLongTheyHaveToBe() {
    try (Cluster cluster = new Cluster("loopback", 1, 1)) {
      TransferEngine engine =
          cluster.engine(EngineOptions.builder().maxMessageBytes(1_024).build());
      WeightsController controller = WeightsController.open(engine);
      assertThatThrownBy(() ->
              controller.update(
                  cluster.order(1, UpdateMode.IN_PLACE), cluster.members(engine), cluster.trainers))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageMatching(
              "expected messages of at least 4\\d\\d\\d bytes on the engine of a controller"
                  + " \\(EngineOptions.maxMessageBytes\\), got 1024");
    }
  }

  @Test
  void aRankThatIsToCompareWithTheChecksumsOfAnotherEngineIsRefused() {
    try (Cluster cluster = new Cluster("loopback", 0, 0)) {
      TransferEngine engine = cluster.engine();
      TransferEngine other = cluster.engine();
      WeightsRankBuilder builder =
          WeightsRank.on(engine, "rank-0")
              .buffer(WeightsBuffer.of(regions(1)))
              .verify(Checksums.open(other));
      assertThatThrownBy(builder::open)
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage(
              "expected checksums that are open on the engine of rank rank-0, "
                  + engine.id()
                  + ", got those of "
                  + other.id());
    }
  }

  /** One writes half of what the table says, and the other half's trainer is not in the update. */
  @Test
  void anUpdateThatLacksATrainerOfItsTableSaysThatItMay() {
    try (Cluster cluster = new Cluster("loopback", 1, 2)) {
      WeightsUpdate order = cluster.order(1, UpdateMode.TWO_BUFFERS_OUTLIVE);
      WeightsUpdate soon =
          new WeightsUpdate(1, order.mode(), order.arrivals(), Duration.ofMillis(1_500));
      UpdateResult result =
          cluster
              .controller
              .update(soon, cluster.members(), cluster.trainers.subList(0, 1))
              .block(Cluster.PATIENCE);
      assertThat(result.reason())
          .contains("rank rank-0, which has not all bytes")
          .endsWith(
              "all trainers of the update have written: it may lack one that its table names");
    }
  }
}
