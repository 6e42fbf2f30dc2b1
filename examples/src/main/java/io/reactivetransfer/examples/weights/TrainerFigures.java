package io.reactivetransfer.examples.weights;

import io.reactivetransfer.weights.run.RunProgress;
import io.reactivetransfer.weights.run.StageProgress;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** How far a trainer's run is, on its way from one process to another. */
record TrainerFigures(
    long steps,
    long bytes,
    StageProgress loaded,
    StageProgress gathered,
    StageProgress prepared,
    StageProgress written,
    long waitNanos,
    long elapsedNanos) {

  static TrainerFigures of(RunProgress run) {
    return new TrainerFigures(
        run.steps(),
        run.bytes(),
        run.loaded(),
        run.gathered(),
        run.prepared(),
        run.written(),
        run.waitNanos(),
        run.elapsedNanos());
  }

  String toLine() {
    return Stream.of(
            List.of(steps, bytes),
            stage(loaded),
            stage(gathered),
            stage(prepared),
            stage(written),
            List.of(waitNanos, elapsedNanos))
        .flatMap(List::stream)
        .map(String::valueOf)
        .collect(Collectors.joining(" "));
  }

  private static List<Long> stage(StageProgress stage) {
    return List.of(stage.steps(), stage.bytes(), stage.nanos());
  }

  /**
   * Those of all trainers, each at its place.
   *
   * @param lines what each has said
   * @throws IOException if one has not said how its run has ended
   */
  static List<TrainerFigures> ofAll(List<String> lines) throws IOException {
    List<TrainerFigures> all = new ArrayList<>();
    for (String line : lines) {
      if (line.isEmpty()) {
        throw new IOException(
            Role.TRAINER.name(all.size()) + " did not say in time how its run has ended");
      }
      all.add(of(line));
    }
    return all;
  }

  static TrainerFigures of(String line) {
    long[] all = Arrays.stream(line.split(" ")).mapToLong(Long::parseLong).toArray();
    if (all.length != 16) {
      throw new IllegalArgumentException("expected 16 figures, got '" + line + "'");
    }
    return new TrainerFigures(
        all[0],
        all[1],
        stage(all, 2),
        stage(all, 5),
        stage(all, 8),
        stage(all, 11),
        all[14],
        all[15]);
  }

  private static StageProgress stage(long[] all, int at) {
    return new StageProgress(all[at], all[at + 1], all[at + 2]);
  }
}
