package io.reactivetransfer.examples.first;

import io.reactivetransfer.HostMemory;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.engine.TransferEngineBuilder;
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
import io.reactivetransfer.weights.remote.TrainerService;
import io.reactivetransfer.weights.run.RunOptions;
import io.reactivetransfer.weights.run.SourceMemory;
import io.reactivetransfer.weights.run.TrainerRank;
import io.reactivetransfer.weights.version.RankMember;
import io.reactivetransfer.weights.version.UpdateMode;
import io.reactivetransfer.weights.version.VersionLease;
import io.reactivetransfer.weights.version.WeightsBuffer;
import io.reactivetransfer.weights.version.WeightsController;
import io.reactivetransfer.weights.version.WeightsRank;
import io.reactivetransfer.weights.version.WeightsTrainer;
import io.reactivetransfer.weights.version.WeightsUpdate;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.List;
import java.util.Map;

public final class FirstUpdate {

  private static final Tensor W = new Tensor("w", DataType.BF16, Shape.of(512, 256));

  public static void main(String[] args) {
    // One trainer has all of the tensor, each of two inference ranks half of its rows.
    Sharding all = Sharding.replicated(Mesh.of("train"));
    Rank from = Rank.of("trainer", RegionSpec.registered(W.bytes()));
    SourceShare share = new SourceShare(W, "dense", all.of(W, 0).pieces(0, 0));
    SourceRank source = new SourceRank(from, List.of(share));
    RoutingTable table = Planner.create().plan(List.of(source), List.of(target(0), target(1)));

    TransferEngine engine = TransferEngineBuilder.create().backend("tcp").open().block();
    TransferEngine engine0 = TransferEngineBuilder.create().backend("tcp").open().block();
    TransferEngine engine1 = TransferEngineBuilder.create().backend("tcp").open().block();
    try (Arena arena = Arena.ofShared()) {
      // Each in a process of its own: two ranks that serve nothing yet, and the trainer.
      rank(engine0, "rank-0", arena);
      WeightsRank rank1 = rank(engine1, "rank-1", arena);
      MemorySegment weights = arena.allocate(W.bytes()).fill((byte) 42);
      List<SourceMemory> memory = List.of(SourceMemory.of(engine.register(weights).block()));
      RunOptions options = RunOptions.builder().deadline(Duration.ofSeconds(20)).build();
      TrainerRank trainer = TrainerRank.open(engine, table, 0, memory, options).block();

      // The controller has both ranks take version 1, or none of them.
      WeightsController controller = WeightsController.open(engine);
      long[] counts = table.arrivals();
      Map<String, Long> arrivals = Map.of("rank-0", counts[0], "rank-1", counts[1]);
      WeightsUpdate update =
          new WeightsUpdate(1, UpdateMode.TWO_BUFFERS_OUTLIVE, arrivals, Duration.ofSeconds(30));
      List<RankMember> ranks =
          List.of(
              new RankMember("rank-0", engine.peer(engine0.address())),
              new RankMember("rank-1", engine.peer(engine1.address())));
      List<WeightsTrainer> trainers = List.of(TrainerService.local(engine, trainer, table));
      System.out.println(controller.update(update, ranks, trainers).block().decision());
      try (VersionLease lease = rank1.lease()) { // for each batch
        HostMemory served = (HostMemory) lease.regions().getFirst();
        byte first = served.segment().get(ValueLayout.JAVA_BYTE, 0);
        System.out.println("Version " + lease.version() + " begins with " + first + ".");
      }

      engine.close().then(engine0.close()).then(engine1.close()).block();
    }
  }

  private static TargetRank target(int rank) {
    Sharding halves = Sharding.replicated(Mesh.of("serve", Mesh.axis("tp", 2))).split(0, "tp");
    return new TargetRank(
        Rank.of("rank-" + rank, RegionSpec.registered(W.bytes() / 2)),
        List.of(new TargetShare(W, Content.of("w"), halves.of(W, rank).pieces(0, 0))));
  }

  private static WeightsRank rank(TransferEngine engine, String name, Arena arena) {
    WeightsBuffer one = WeightsBuffer.of(arena.allocate(W.bytes() / 2));
    WeightsBuffer other = WeightsBuffer.of(arena.allocate(W.bytes() / 2));
    return WeightsRank.on(engine, name).buffer(one).buffer(other).open().block();
  }
}
