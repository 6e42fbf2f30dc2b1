package io.reactivetransfer.examples.moe;

import io.reactivetransfer.examples.report.FigureTable;
import io.reactivetransfer.examples.worker.AskedWorker;
import io.reactivetransfer.examples.worker.SharedClock;
import io.reactivetransfer.tools.ChangingLine;
import java.io.IOException;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/**
 * Kills a rank while all do steps, says what the others are told of it, and goes on with those that
 * are left.
 */
final class KillRank {

  /** A process that says nothing counts as lost after this time. */
  static final int LIVENESS_MILLIS = 5_000;

  private static final int MOST_MICROS = 1_000_000;

  private KillRank() {}

  /**
   * Runs it.
   *
   * @param step the number of a step that those that are left do
   * @param faults is told what should not be
   * @return how many tokens were compared with the reference behind it
   */
  static long run(
      Cluster cluster, ChangingLine progress, int step, FigureTable table, List<String> faults)
      throws IOException, InterruptedException {
    Random random = new Random(cluster.plan.seed());
    double usual = Times.of(cluster.steps(cluster.some())).percentiles(Half.STEP).p50Millis();
    int victim = random.nextInt(cluster.count());
    AskedWorker process = cluster.process(victim);
    cluster.ask("lose");
    int micros = random.nextInt(MOST_MICROS);
    TimeUnit.MICROSECONDS.sleep(micros);
    long killed = SharedClock.nanosNow();
    cluster.remove(victim);
    progress.say("killed " + process);
    table.gap();
    table.line(
        "killed",
        "%s, %.0f ms after the first of steps that follow each other and take %.1f ms"
            .formatted(process, micros / 1e3, usual));
    List<String> ends = cluster.awaitAnswers();
    double last = 0;
    for (int i = 0; i < ends.size(); i++) {
      String[] words = ends.get(i).split(" ", 3);
      int rank = i < victim ? i : i + 1;
      double millis = (Long.parseLong(words[0]) - killed) / 1e6;
      last = Math.max(last, millis);
      table.line("rank " + rank, "%.1f ms later: %s".formatted(millis, words[2]));
      if (Integer.parseInt(words[1]) != victim) {
        faults.add("expected rank %d to name rank %d, got: %s".formatted(rank, victim, words[2]));
      }
    }
    long deadline = cluster.plan.liveness().toMillis();
    table.line(
        "all ended",
        "%.1f ms after it was killed; the deadline is %,d ms".formatted(last, deadline));
    if (last > deadline) {
      faults.add("expected all to end within %,d ms, got %.1f".formatted(deadline, last));
    }
    long began = System.nanoTime();
    cluster.answers("leave");
    cluster.join();
    long tokens = cluster.verify(step);
    table.line(
        "went on",
        "%d ranks in a group of their own, its first step compared %.0f ms after that"
            .formatted(cluster.count(), (System.nanoTime() - began) / 1e6));
    return tokens;
  }
}
