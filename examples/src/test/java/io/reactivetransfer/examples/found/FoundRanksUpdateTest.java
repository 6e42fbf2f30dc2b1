package io.reactivetransfer.examples.found;

import static io.reactivetransfer.examples.found.FoundEngines.PATIENCE;
import static io.reactivetransfer.examples.found.FoundEngines.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.HostMemory;
import io.reactivetransfer.PeerAddress;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.weights.Content;
import io.reactivetransfer.weights.DataType;
import io.reactivetransfer.weights.Mesh;
import io.reactivetransfer.weights.Rank;
import io.reactivetransfer.weights.RegionSpec;
import io.reactivetransfer.weights.Shape;
import io.reactivetransfer.weights.Sharding;
import io.reactivetransfer.weights.SourceRank;
import io.reactivetransfer.weights.SourceShare;
import io.reactivetransfer.weights.TargetRank;
import io.reactivetransfer.weights.TargetShare;
import io.reactivetransfer.weights.Tensor;
import io.reactivetransfer.weights.plan.Planner;
import io.reactivetransfer.weights.plan.RoutingTable;
import io.reactivetransfer.weights.remote.RemoteTrainers;
import io.reactivetransfer.weights.remote.TrainerService;
import io.reactivetransfer.weights.run.RunOptions;
import io.reactivetransfer.weights.run.SourceMemory;
import io.reactivetransfer.weights.run.TrainerRank;
import io.reactivetransfer.weights.version.RankMember;
import io.reactivetransfer.weights.version.RankState;
import io.reactivetransfer.weights.version.UpdateMode;
import io.reactivetransfer.weights.version.UpdateResult;
import io.reactivetransfer.weights.version.VersionLease;
import io.reactivetransfer.weights.version.WeightsBuffer;
import io.reactivetransfer.weights.version.WeightsController;
import io.reactivetransfer.weights.version.WeightsRank;
import io.reactivetransfer.weights.version.WeightsTrainer;
import io.reactivetransfer.weights.version.WeightsUpdate;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import reactor.core.publisher.Mono;

/** Trainers and inference ranks that only a membership has made known to each other. */
@Timeout(240)
class FoundRanksUpdateTest {

  private static final String TRAINER = "trainer";
  private static final String INFERENCE = "inference";
  private static final int ROWS = 64;
  private static final int COLUMNS = 128;
  private static final Tensor DENSE = new Tensor("dense", DataType.BF16, Shape.of(ROWS, COLUMNS));
  private static final Tensor EXPERTS =
      new Tensor("experts", DataType.BF16, Shape.of(ROWS, COLUMNS));

  /** Of one tensor at one rank, of a trainer or of inference. */
  private static final long HALF_BYTES = DENSE.bytes() / 2;

  private static final RoutingTable TABLE =
      Planner.create().plan(List.of(source(0), source(1)), List.of(target(0), target(1)));

  private final FoundEngines engines = new FoundEngines();
  private final Arena arena = Arena.ofShared();

  /** Each trainer has half of the rows. */
  private static SourceRank source(int rank) {
    Sharding rows = Sharding.replicated(Mesh.of("train", Mesh.axis("dp", 2))).split(0, "dp");
    return new SourceRank(
        Rank.of(TRAINER + "-" + rank, RegionSpec.registered(2 * HALF_BYTES)),
        List.of(
            new SourceShare(DENSE, "dense", rows.of(DENSE, rank).pieces(0, 0)),
            new SourceShare(EXPERTS, "experts", rows.of(EXPERTS, rank).pieces(0, HALF_BYTES))));
  }

  /** Each inference rank has half of the columns. */
  private static TargetRank target(int rank) {
    Sharding columns = Sharding.replicated(Mesh.of("serve", Mesh.axis("tp", 2))).split(1, "tp");
    return new TargetRank(
        Rank.of(INFERENCE + "-" + rank, RegionSpec.registered(2 * HALF_BYTES)),
        List.of(
            new TargetShare(DENSE, Content.of("dense"), columns.of(DENSE, rank).pieces(0, 0)),
            new TargetShare(
                EXPERTS, Content.of("experts"), columns.of(EXPERTS, rank).pieces(0, HALF_BYTES))));
  }

  /** Another one for each element of both tensors. */
  private static short element(int tensor, int row, int column) {
    return (short) ((tensor * ROWS + row) * COLUMNS + column);
  }

  /** One that can be found before it has found the others. */
  private Mono<TrainerService> trainer(int rank) {
    TransferEngine engine = engines.open();
    MemorySegment weights = arena.allocate(2 * HALF_BYTES, 64);
    long index = 0;
    for (int tensor = 0; tensor < 2; tensor++) {
      for (int row = rank * ROWS / 2; row < (rank + 1) * ROWS / 2; row++) {
        for (int column = 0; column < COLUMNS; column++) {
          weights.setAtIndex(ValueLayout.JAVA_SHORT, index++, element(tensor, row, column));
        }
      }
    }
    List<SourceMemory> memory = List.of(SourceMemory.of(await(engine.register(weights))));
    engines.membership.enter(engine, TRAINER, rank);
    return engines
        .ranks(engine, TRAINER, 2)
        .flatMap(all -> TrainerRank.open(engine, TABLE.only(rank), rank, memory, options(all)))
        .map(opened -> TrainerService.open(engine, opened, TABLE.only(rank)));
  }

  /** The steps of the second group wait for all trainers, so each has to know who is which. */
  private static RunOptions options(List<PeerAddress> trainers) {
    return RunOptions.builder().trainers(trainers).groupsInTurn(true).deadline(PATIENCE).build();
  }

  /** One that is ready when it can be found. */
  private WeightsRank inference(int rank) {
    TransferEngine engine = engines.open();
    WeightsRank opened =
        await(
            WeightsRank.on(engine, INFERENCE + "-" + rank)
                .buffer(WeightsBuffer.of(arena.allocate(2 * HALF_BYTES, 64)))
                .buffer(WeightsBuffer.of(arena.allocate(2 * HALF_BYTES, 64)))
                .open());
    engines.membership.enter(engine, INFERENCE, rank);
    return opened;
  }

  /** Of all ranks, when all of them are there. */
  private Mono<UpdateResult> update(TransferEngine engine) {
    WeightsController controller = WeightsController.open(engine);
    RemoteTrainers remote = RemoteTrainers.open(engine);
    Map<String, Long> arrivals = new HashMap<>();
    for (int i = 0; i < 2; i++) {
      arrivals.put(TABLE.targets().get(i).name(), TABLE.arrivals()[i]);
    }
    WeightsUpdate update = new WeightsUpdate(1, UpdateMode.TWO_BUFFERS_OUTLIVE, arrivals, PATIENCE);
    return Mono.zip(engines.ranks(engine, INFERENCE, 2), engines.ranks(engine, TRAINER, 2))
        .flatMap(found -> {
          List<RankMember> ranks =
              IntStream.range(0, 2)
                  .mapToObj(i ->
                      new RankMember(
                          TABLE.targets().get(i).name(), engine.peer(found.getT1().get(i))))
                  .toList();
          List<WeightsTrainer> trainers =
              found.getT2().stream().map(each -> remote.trainer(engine.peer(each))).toList();
          return controller.update(update, ranks, trainers);
        });
  }

  private static void requireServes(WeightsRank rank, int number) {
    try (VersionLease lease = rank.lease()) {
      assertThat(lease.version()).isEqualTo(1);
      MemorySegment served = ((HostMemory) lease.regions().getFirst()).segment();
      long index = 0;
      for (int tensor = 0; tensor < 2; tensor++) {
        for (int row = 0; row < ROWS; row++) {
          for (int i = 0; i < COLUMNS / 2; i++) {
            assertThat(served.getAtIndex(ValueLayout.JAVA_SHORT, index++))
                .isEqualTo(element(tensor, row, number * COLUMNS / 2 + i));
          }
        }
      }
    }
  }

  /** The last rank of each role comes when all others wait for it. */
  @Test
  void anUpdateWaitsForTheRankThatEntersLateAndFlipsOnAll() throws Exception {
    try (arena;
        engines) {
      TransferEngine engine = engines.open();
      CompletableFuture<TrainerService> trainer1 = trainer(1).toFuture();
      CompletableFuture<UpdateResult> update = update(engine).toFuture();
      WeightsRank rank1 = inference(1);
      engines.awaitAlive(engine, TRAINER, 1);
      engines.awaitAlive(engine, INFERENCE, 1);
      assertThat(trainer1).isNotDone();
      await(trainer(0));
      trainer1.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
      engines.awaitAlive(engine, TRAINER, 2);
      assertThat(update).isNotDone();
      assertThat(rank1.status().state()).isEqualTo(RankState.EMPTY);

      WeightsRank rank0 = inference(0);
      UpdateResult result = update.get(2 * PATIENCE.toSeconds(), TimeUnit.SECONDS);
      assertThat(result.isFlipped() && result.isConfirmed()).as("%s", result).isTrue();
      requireServes(rank0, 0);
      requireServes(rank1, 1);
    }
  }
}
