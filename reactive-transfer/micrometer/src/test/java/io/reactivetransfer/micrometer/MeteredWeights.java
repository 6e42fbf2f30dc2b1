package io.reactivetransfer.micrometer;

import static io.reactivetransfer.micrometer.MeteredEngines.PATIENCE;

import io.reactivetransfer.EngineRecorder;
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
import io.reactivetransfer.weights.run.RunRecorder;
import io.reactivetransfer.weights.run.SourceMemory;
import io.reactivetransfer.weights.run.TrainerRank;
import io.reactivetransfer.weights.version.RankMember;
import io.reactivetransfer.weights.version.UpdateMode;
import io.reactivetransfer.weights.version.UpdateResult;
import io.reactivetransfer.weights.version.VersionRecorder;
import io.reactivetransfer.weights.version.WeightsBuffer;
import io.reactivetransfer.weights.version.WeightsController;
import io.reactivetransfer.weights.version.WeightsRank;
import io.reactivetransfer.weights.version.WeightsTrainer;
import io.reactivetransfer.weights.version.WeightsUpdate;
import java.lang.foreign.Arena;
import java.util.List;
import java.util.Map;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/**
 * A trainer that loads what it writes, an inference rank, and the controller, beside the trainer or
 * elsewhere.
 */
final class MeteredWeights {

  static final String RANK = "rank-0";

  private static final Tensor W = new Tensor("w", DataType.BF16, Shape.of(64, 32));

  /** Of one update. */
  static final long BYTES = W.bytes();

  final TransferEngine trainerEngine;
  final TransferEngine rankEngine;
  final TransferEngine controllerEngine;
  final TrainerRank trainer;
  final WeightsRank rank;
  final WeightsController controller;
  private final RoutingTable table = table();
  private final WeightsTrainer writer;

  /** What the trainer fails with instead of writing, if it is set. */
  volatile RuntimeException failure;

  /** What the trainer does when it is told to write. */
  volatile Runnable begins = () -> {};

  /** The controller is beside the trainer. */
  <R extends RunRecorder & VersionRecorder> MeteredWeights(MeteredEngines engines, R recorder) {
    this(engines, false, recorder, recorder, recorder);
  }

  /**
   * With a recorder for each of them.
   *
   * @param isElsewhere whether the controller has an engine of its own, and sends its orders
   */
  MeteredWeights(
      MeteredEngines engines,
      boolean isElsewhere,
      RunRecorder ofTrainer,
      VersionRecorder ofRank,
      VersionRecorder ofController) {
    trainerEngine = engines.open(EngineRecorder.NONE);
    rankEngine = engines.open(EngineRecorder.NONE);
    controllerEngine = isElsewhere ? engines.open(EngineRecorder.NONE) : trainerEngine;
    trainer =
        TrainerRank.open(
                trainerEngine,
                table,
                0,
                List.of(SourceMemory.loaded(Arena.ofAuto().allocate(BYTES, 64))),
                RunOptions.builder().recorder(ofTrainer).build())
            .block(PATIENCE);
    rank =
        WeightsRank.on(rankEngine, RANK)
            .buffer(WeightsBuffer.of(Arena.ofAuto().allocate(BYTES, 64)))
            .buffer(WeightsBuffer.of(Arena.ofAuto().allocate(BYTES, 64)))
            .version(0)
            .recorder(ofRank)
            .open()
            .block(PATIENCE);
    controller = WeightsController.open(controllerEngine, Schedulers.parallel(), ofController);
    WeightsTrainer writes;
    if (isElsewhere) {
      TrainerService.open(trainerEngine, trainer, table);
      writes =
          RemoteTrainers.open(controllerEngine)
              .trainer(controllerEngine.peer(trainerEngine.address()));
    } else {
      writes = TrainerService.local(trainerEngine, trainer, table);
    }
    writer =
        order -> {
          begins.run();
          return failure == null ? writes.write(order) : Mono.error(failure);
        };
  }

  /** What the trainer has goes to the rank as it is. */
  static RoutingTable table() {
    Sharding all = Sharding.replicated(Mesh.of("all"));
    SourceRank source =
        new SourceRank(
            Rank.of("trainer-0", RegionSpec.loaded(BYTES)),
            List.of(new SourceShare(W, "dense", all.of(W, 0).pieces(0, 0))));
    TargetRank target =
        new TargetRank(
            Rank.of(RANK, RegionSpec.registered(BYTES)),
            List.of(new TargetShare(W, Content.of("w"), all.of(W, 0).pieces(0, 0))));
    return Planner.create().plan(List.of(source), List.of(target));
  }

  UpdateResult update(long version) {
    return updating(version).block(PATIENCE);
  }

  Mono<UpdateResult> updating(long version) {
    return controller.update(
        new WeightsUpdate(
            version, UpdateMode.TWO_BUFFERS_WAIT, Map.of(RANK, table.arrivals()[0]), PATIENCE),
        List.of(new RankMember(RANK, controllerEngine.peer(rankEngine.address()))),
        List.of(writer));
  }

  void close() {
    controller.close();
    trainer.close().block(PATIENCE);
    rank.close().block(PATIENCE);
  }
}
