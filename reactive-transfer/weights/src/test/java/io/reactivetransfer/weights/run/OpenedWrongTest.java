package io.reactivetransfer.weights.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivetransfer.Access;
import io.reactivetransfer.HostMemory;
import io.reactivetransfer.MemoryRegion;
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
import io.reactivetransfer.weights.plan.ModelBytes;
import io.reactivetransfer.weights.plan.Planner;
import io.reactivetransfer.weights.plan.RoutingTable;
import io.reactivetransfer.weights.remote.TrainerService;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Mono;

/** A rank of a trainer that is opened with what belongs to another one says so at once. */
@Timeout(60)
class OpenedWrongTest {

  private static final Tensor W = new Tensor("w", DataType.INT8, Shape.of(6, 64));
  private static final Sharding THIRDS =
      Sharding.replicated(Mesh.of("train", Mesh.axis("fsdp", 3))).split(0, "fsdp");
  private static final long BYTES = W.bytes() / 3;

  private final RoutingTable table = table();
  private final Cluster cluster = Cluster.loopback();
  private final Arena arena = Arena.ofShared();

  private static RoutingTable table() {
    List<SourceRank> sources = new ArrayList<>();
    for (int rank = 0; rank < 3; rank++) {
      sources.add(
          new SourceRank(
              Rank.of("trainer-" + rank, RegionSpec.registered(BYTES)),
              List.of(new SourceShare(W, "g", THIRDS.of(W, rank).pieces(0, 0)))));
    }
    Sharding all = Sharding.replicated(Mesh.of("serve"));
    TargetRank target =
        new TargetRank(
            Rank.of("rank-0", RegionSpec.registered(W.bytes())),
            List.of(new TargetShare(W, Content.of("w"), all.of(W, 0).pieces(0, 0))));
    return Planner.create().plan(sources, List.of(target));
  }

  @AfterEach
  void close() {
    cluster.close();
    arena.close();
  }

  private MemoryRegion region(TransferEngine engine) {
    return Cluster.await(engine.register(new HostMemory(arena.allocate(BYTES, 64)), Access.LOCAL));
  }

  private TrainerRank open(RoutingTable of, int rank, MemoryRegion region) {
    return Cluster.await(
        TrainerRank.open(
            cluster.trainer(0), of, rank, List.of(SourceMemory.of(region)), RunOptions.defaults()));
  }

  private static void requireRefused(Runnable wrong, String why) {
    assertThatThrownBy(wrong::run).isInstanceOf(IllegalArgumentException.class).hasMessage(why);
  }

  @Test
  void aRankThatThereIsNot() {
    MemoryRegion region = region(cluster.trainer(0));
    for (int rank : new int[] {-1, 3, 5, Integer.MAX_VALUE}) {
      String why = "expected a rank of the trainer of 0 to 2, got " + rank;
      requireRefused(() -> open(table, rank, region), why);
      requireRefused(() -> table.only(rank), why);
      requireRefused(() -> table.steps(rank), why);
    }
  }

  @Test
  void thePartOfAnotherRank() {
    MemoryRegion region = region(cluster.trainer(0));
    String why =
        "expected the whole table or the part of trainer trainer-0, got the part of trainer"
            + " trainer-1";
    requireRefused(() -> open(table.only(1), 0, region), why);
    requireRefused(() -> table.only(1).only(0), why);
    TrainerRank trainer = open(table.only(0).only(0), 0, region);
    requireRefused(() -> TrainerService.local(cluster.trainer(0), trainer, table.only(1)), why);
    requireRefused(() -> TrainerService.open(cluster.trainer(0), trainer, table.only(1)), why);
    trainer.close().block(Cluster.PATIENCE);
  }

  @Test
  void memoryThatIsRegisteredWithAnotherEngine() {
    requireRefused(
        () -> open(table, 0, region(cluster.trainer(1))),
        "expected region 0 of rank trainer-0 to be registered with engine "
            + cluster.trainer(0).id()
            + ", which writes, got one of engine "
            + cluster.trainer(1).id());
  }

  @Test
  void memoryWhoseRegistrationIsClosed() {
    MemoryRegion region = region(cluster.trainer(0));
    region.close().block(Cluster.PATIENCE);
    requireRefused(
        () -> open(table, 0, region),
        "expected region 0 of rank trainer-0 to be registered, got a region that is closed");
  }

  @Test
  void memoryOfAnEngineThatIsClosed() {
    MemoryRegion region = region(cluster.trainer(0));
    cluster.trainer(0).close().block(Cluster.PATIENCE);
    requireRefused(
        () -> open(table, 0, region),
        "expected region 0 of rank trainer-0 to be registered, got a region that is closed");
  }

  /** Neither would hear what the others say to it. */
  @Test
  void aSecondRankThatNeedsOthersLeavesTheFirstAsItIs() {
    Case of = Case.from(0, GatherDeskTest::isGatheredBy0);
    try (Rig rig = new Rig(cluster, of.table(), RunOptions.builder())) {
      RunOptions options =
          RunOptions.builder().trainers(cluster.addresses(of.table().sources().size())).build();
      Mono<TrainerRank> second =
          TrainerRank.open(cluster.trainer(0), of.table(), 0, rig.memory(0), options);
      assertThatThrownBy(() -> Cluster.await(second))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageStartingWith(
              "expected an open engine with no other rank of a trainer that needs others, which"
                  + " reads message channel 19, got: ");
      ModelBytes bytes = new ModelBytes(of.model());
      rig.fill(bytes);
      rig.update(1).block(Cluster.PATIENCE);
      rig.requireArrived(bytes);
      rig.trainers.getFirst().close().block(Cluster.PATIENCE);
      Cluster.await(second).close().block(Cluster.PATIENCE);
    }
  }

  /** Nobody else could close what was never emitted. */
  private void requireCancelLeavesNothing(
      RoutingTable of, List<SourceMemory> memory, RunOptions.Builder options)
      throws InterruptedException {
    BaseSubscriber<TrainerRank> opening = new BaseSubscriber<>() {};
    CountDownLatch closed = new CountDownLatch(1);
    RunRecorder cancelling =
        new RunRecorder() {
          @Override
          public void opened(TrainerRank rank) {
            opening.cancel();
          }

          @Override
          public void closed(TrainerRank rank) {
            closed.countDown();
          }
        };
    TransferEngine engine = cluster.trainer(0);
    long registered = engine.stats().registeredBytes();
    RunOptions told = options.recorder(cancelling).build();
    TrainerRank.open(engine, of, 0, memory, told).subscribe(opening);
    assertThat(closed.await(40, TimeUnit.SECONDS)).isTrue();
    assertThat(engine.stats().registeredBytes()).isEqualTo(registered);
    RunOptions again = options.recorder(RunRecorder.NONE).build();
    Cluster.await(TrainerRank.open(engine, of, 0, memory, again)).close().block(Cluster.PATIENCE);
  }

  @Test
  void aCancelWhileARankOpensLeavesNothingBehind() throws InterruptedException {
    requireCancelLeavesNothing(
        table,
        List.of(SourceMemory.of(region(cluster.trainer(0)))),
        RunOptions.builder().trainers(cluster.addresses(3)).groupsInTurn(true));
  }

  @Test
  void aCancelWhileARankWithTemporariesOpensLeavesNothingBehind() throws InterruptedException {
    Case of = Case.from(0, GatherDeskTest::isGatheredBy0);
    try (Rig rig = new Rig(cluster, of.table(), RunOptions.builder())) {
      rig.trainers.getFirst().close().block(Cluster.PATIENCE);
      requireCancelLeavesNothing(
          of.table(),
          rig.memory(0),
          RunOptions.builder().trainers(cluster.addresses(of.table().sources().size())));
    }
  }

  private void requireTrainersRefused(List<PeerAddress> trainers, String why) {
    RunOptions options = RunOptions.builder().trainers(trainers).groupsInTurn(true).build();
    List<SourceMemory> memory = List.of(SourceMemory.of(region(cluster.trainer(0))));
    requireRefused(
        () -> Cluster.await(TrainerRank.open(cluster.trainer(0), table, 0, memory, options)), why);
  }

  /** It would wait at barriers for one that does not come. */
  @Test
  void trainersOfWhichOneIsNamedTwice() {
    PeerAddress own = cluster.trainer(0).address();
    PeerAddress other = cluster.trainer(1).address();
    requireTrainersRefused(
        List.of(own, other, other),
        "expected each rank of the trainer on an engine of its own, got engine "
            + other.engine()
            + " for ranks 1 and 2");
  }

  @Test
  void trainersOfWhichTheOwnIsAnother() {
    PeerAddress own = cluster.trainer(0).address();
    PeerAddress other = cluster.trainer(1).address();
    PeerAddress third = cluster.trainer(2).address();
    requireTrainersRefused(
        List.of(other, own, third),
        "expected the engines of the trainer in the order of the table, with engine "
            + own.engine()
            + " for rank 0, got engine "
            + other.engine());
  }
}
