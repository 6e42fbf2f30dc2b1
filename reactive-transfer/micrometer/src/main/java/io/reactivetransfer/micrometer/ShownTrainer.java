package io.reactivetransfer.micrometer;

import io.micrometer.core.instrument.Tags;
import io.reactivetransfer.weights.run.RunProgress;
import io.reactivetransfer.weights.run.RunRecorder;
import io.reactivetransfer.weights.run.TrainerRank;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;

/** One rank of a trainer, or all of an engine whose names are too many. */
final class ShownTrainer extends ShownWeights
    implements RunRecorder.OneRunRecorder, Members<TrainerRank> {

  private final EarlyTimers<RunOutcome> runs;
  private final LongAdder begun = new LongAdder();
  private final LongAdder ended = new LongAdder();
  private final LongAdder written = new LongAdder();
  private final LongAdder staged = new LongAdder();

  ShownTrainer(String name, Meters meters, boolean histogram) {
    super(meters.and("rank", name), histogram);
    this.runs = new EarlyTimers<>(this.meters, RunOutcome.class);
  }

  /** All runs are counted together, so there is one who is told of them. */
  RunRecorder.OneRunRecorder begun() {
    begun.increment();
    return this;
  }

  @Override
  public void ended(RunRecorder.RunEnd end) {
    RunProgress progress = end.progress();
    ended.increment();
    written.add(progress.written().bytes());
    staged.add(progress.loaded().bytes() + progress.prepared().bytes());
    runs.record(RunOutcome.of(end), Duration.ofNanos(progress.elapsedNanos()));
  }

  @Override
  void registerAll() {
    active(
        "weights.runs.active", "runs of this trainer that have begun and not ended", begun, ended);
    count(
        "weights.written",
        Meters.BYTES,
        "bytes of steps that were written, also of runs that have failed, to other trainers too",
        written);
    count(
        "weights.staged",
        Meters.BYTES,
        "bytes that were loaded or prepared in temporaries, also of runs that have failed",
        staged);
    runs.register(
        List.of(RunOutcome.values()),
        outcome ->
            timer(
                "weights.runs",
                "runs of this trainer, each for one update, from their beginning until nothing of"
                    + " them was out",
                Tags.of("outcome", outcome.tag)));
  }
}
