package io.reactivetransfer.weights.remote;

import io.reactivetransfer.weights.run.RunProgress;
import io.reactivetransfer.weights.run.StageProgress;
import io.reactivetransfer.weights.version.UpdateNumber;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;
import java.util.function.ToLongFunction;

/**
 * How far the trainers of an update are, as they have said last.
 *
 * @param update which update
 * @param trainers how far each one is that has said so, by its name in the table
 */
public record TrainerProgress(UpdateNumber update, Map<String, RunProgress> trainers) {

  /** Copies the map and keeps its order. */
  public TrainerProgress {
    trainers = Collections.unmodifiableMap(new LinkedHashMap<>(trainers));
  }

  /**
   * All of them together: steps, bytes, and the work of stages added up; for the time that has
   * passed, and for how long all writes have been handed over, that of the slowest. Its number is
   * that by which ranks of the trainer know the update among each other; 0 if nobody has said
   * anything.
   */
  public RunProgress sum() {
    return new RunProgress(
        trainers.values().stream().mapToLong(RunProgress::number).findFirst().orElse(0),
        sum(RunProgress::steps),
        sum(RunProgress::bytes),
        stage(RunProgress::loaded),
        stage(RunProgress::gathered),
        stage(RunProgress::prepared),
        stage(RunProgress::written),
        sum(RunProgress::temporaryBytes),
        most(RunProgress::waitNanos),
        most(RunProgress::elapsedNanos));
  }

  private StageProgress stage(Function<RunProgress, StageProgress> stage) {
    return new StageProgress(
        sum(run -> stage.apply(run).steps()),
        sum(run -> stage.apply(run).bytes()),
        sum(run -> stage.apply(run).nanos()));
  }

  private long sum(ToLongFunction<RunProgress> of) {
    return trainers.values().stream().mapToLong(of).sum();
  }

  private long most(ToLongFunction<RunProgress> of) {
    return trainers.values().stream().mapToLong(of).max().orElse(0);
  }
}
