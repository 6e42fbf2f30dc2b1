package io.reactivetransfer.simulation.weights;

import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.spi.Backend;
import io.reactivetransfer.weights.kernel.PrepareFunction;
import io.reactivetransfer.weights.plan.RoutingTable;
import io.reactivetransfer.weights.remote.TrainerService;
import io.reactivetransfer.weights.run.RunOptions;
import io.reactivetransfer.weights.version.FilledBuffer;
import io.reactivetransfer.weights.version.UpdateResult;
import io.reactivetransfer.weights.version.WeightsController;
import io.reactivetransfer.weights.version.WeightsRank;
import io.reactivetransfer.weights.version.WeightsRankBuilder;
import io.reactivetransfer.weights.version.WeightsTrainer;
import java.util.Map;
import java.util.function.Function;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;

/** Where a saboteur can get between the pipeline and what is around it. Does nothing at first. */
interface WeightsTampering {

  /** Nobody is at it. */
  WeightsTampering NONE = new WeightsTampering() {};

  /** What an engine runs on. */
  default Backend backend(Backend sound) {
    return sound;
  }

  /** What an inference rank runs on. */
  default TransferEngine rank(TransferEngine sound) {
    return sound;
  }

  /** What a trainer runs on. */
  default TransferEngine trainer(TransferEngine sound) {
    return sound;
  }

  /** What a controller runs on. */
  default TransferEngine controller(TransferEngine sound) {
    return sound;
  }

  /** What deadlines go by. */
  default Scheduler timers(Scheduler sound) {
    return sound;
  }

  /** How many arrivals the controller is told for a rank. */
  default long arrivals(long sound) {
    return sound;
  }

  /**
   * Which ranks an update is told to write.
   *
   * @param sound those that it is for
   * @param living all that live
   */
  default Map<String, Serving> named(Map<String, Serving> sound, Map<String, Serving> living) {
    return sound;
  }

  /** How many bytes of temporaries a trainer is told to take at most. */
  default long watermark(long sound) {
    return sound;
  }

  /** Whether all that an update writes to a rank is damaged on the way. */
  default boolean damages() {
    return false;
  }

  /** What prepares. */
  default PrepareFunction prepare(PrepareFunction sound) {
    return sound;
  }

  /** What looks at what has come. */
  default Function<FilledBuffer, Publisher<?>> verifier(
      Function<FilledBuffer, Publisher<?>> sound) {
    return sound;
  }

  /** What a controller knows as a trainer. */
  default WeightsTrainer writer(WeightsTrainer sound) {
    return sound;
  }

  /** What comes of an update or a recovery. */
  default Mono<UpdateResult> result(Mono<UpdateResult> sound) {
    return sound;
  }

  /** A controller. */
  default WeightsController open(TransferEngine engine, Scheduler timers, long id) {
    return WeightsController.open(engine, timers, id);
  }

  /** What a rank is opened with. */
  default WeightsRankBuilder built(WeightsRankBuilder sound) {
    return sound;
  }

  /** What has a rank fill others. */
  default TrainerService filler(WeightsRank rank, RoutingTable table, RunOptions options) {
    return TrainerService.open(rank, table, options);
  }

  /** The number of a rank's life. */
  default long incarnation(long sound) {
    return sound;
  }

  /** Which of its buffers a rank is given as its first or second. */
  default int buffer(int sound) {
    return sound;
  }

  /** Whom a recovery is told to live. */
  default Map<String, Serving> living(Map<String, Serving> sound) {
    return sound;
  }
}
