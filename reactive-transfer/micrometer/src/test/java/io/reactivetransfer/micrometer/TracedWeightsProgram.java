package io.reactivetransfer.micrometer;

import static io.reactivetransfer.micrometer.MeteredWeights.BYTES;
import static io.reactivetransfer.micrometer.MeteredWeights.RANK;
import static io.reactivetransfer.micrometer.TracedNodes.PATIENCE;

import io.micrometer.observation.Observation;
import io.reactivetransfer.PeerAddress;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.weights.plan.RoutingTable;
import io.reactivetransfer.weights.remote.RemoteTrainers;
import io.reactivetransfer.weights.remote.TrainerService;
import io.reactivetransfer.weights.run.RunOptions;
import io.reactivetransfer.weights.run.SourceMemory;
import io.reactivetransfer.weights.run.TrainerRank;
import io.reactivetransfer.weights.version.RankMember;
import io.reactivetransfer.weights.version.UpdateMode;
import io.reactivetransfer.weights.version.UpdateResult;
import io.reactivetransfer.weights.version.WeightsBuffer;
import io.reactivetransfer.weights.version.WeightsController;
import io.reactivetransfer.weights.version.WeightsRank;
import io.reactivetransfer.weights.version.WeightsUpdate;
import java.lang.foreign.Arena;
import java.util.List;
import java.util.Map;
import reactor.core.scheduler.Schedulers;
import reactor.util.context.Context;

/** A part of an update with a tracer of its own, which prints its spans. */
final class TracedWeightsProgram {

  private static final RoutingTable TABLE = MeteredWeights.table();

  private final TracedProcess process = new TracedProcess();
  private final WeightsObservations observations = WeightsObservations.of(process.registry);
  private final TransferEngine engine = TracedNodes.open();

  /**
   * Runs it; ranks and trainers until they are killed.
   *
   * @param args rank, trainer, or controller and the addresses of the others
   */
  public static void main(String[] args) throws InterruptedException {
    TracedWeightsProgram program = new TracedWeightsProgram();
    switch (args[0]) {
      case "rank" -> program.openRank();
      case "trainer" -> program.openTrainer();
      default -> {
        program.update(PeerAddress.fromText(args[1]), PeerAddress.fromText(args[2]));
        return;
      }
    }
    System.out.println("address " + program.engine.address().toText());
    program.process.print(1);
    Thread.currentThread().join();
  }

  private void openRank() {
    WeightsRank.on(engine, RANK)
        .buffer(WeightsBuffer.of(Arena.ofAuto().allocate(BYTES, 64)))
        .buffer(WeightsBuffer.of(Arena.ofAuto().allocate(BYTES, 64)))
        .version(0)
        .recorder(observations)
        .open()
        .block(PATIENCE);
  }

  private void openTrainer() {
    TrainerRank trainer =
        TrainerRank.open(
                engine,
                TABLE,
                0,
                List.of(SourceMemory.loaded(Arena.ofAuto().allocate(BYTES, 64))),
                RunOptions.builder().recorder(observations).build())
            .block(PATIENCE);
    TrainerService.open(engine, trainer, TABLE);
  }

  private void update(PeerAddress rank, PeerAddress trainer) {
    WeightsController controller =
        WeightsController.open(engine, Schedulers.parallel(), observations);
    Observation step = Observation.start("step", process.registry);
    UpdateResult result =
        controller
            .update(
                new WeightsUpdate(
                    7, UpdateMode.TWO_BUFFERS_WAIT, Map.of(RANK, TABLE.arrivals()[0]), PATIENCE),
                List.of(new RankMember(RANK, engine.peer(rank))),
                List.of(RemoteTrainers.open(engine).trainer(engine.peer(trainer))))
            .contextWrite(Context.of(TraceFields.OBSERVATION, step))
            .block(PATIENCE);
    step.stop();
    System.out.println("flipped " + result.isFlipped());
    process.print(2);
    controller.close();
    engine.close().block(PATIENCE);
  }
}
