package io.reactivetransfer.examples.weights;

import io.reactivetransfer.examples.report.FigureTable;
import io.reactivetransfer.examples.worker.AskedWorker;
import java.io.IOException;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/**
 * Kills a process within an update, says what becomes of that, starts another one in its place, and
 * updates again.
 */
final class KillRole {

  /** What all serve before. */
  private static final long BEFORE = 1;

  private static final long WITHIN = 2;
  private static final long AFTER = 3;

  private KillRole() {}

  /**
   * Runs it.
   *
   * @return the last update
   */
  static Measured run(Cluster cluster, Progress progress, Role victim, FigureTable table)
      throws IOException, InterruptedException {
    Updates.run(cluster, progress, BEFORE, 1);
    UpdateEnd usual = cluster.update(BEFORE); // once more, warmer: how long does it take?
    Updates.requireFlipped(usual);
    Random random = new Random(cluster.plan.seed());
    cluster.fill(WITHIN);
    int index = random.nextInt(cluster.count(victim));
    AskedWorker process = cluster.process(victim, index);
    AskedWorker controller = cluster.process(Role.CONTROLLER, 0);
    long micros = (long) (usual.millis() * 1_000 * random.nextDouble(0.2, 0.8));
    cluster.beginUpdate(WITHIN, cluster.allRanks());
    TimeUnit.MICROSECONDS.sleep(micros);
    long killed = System.nanoTime();
    process.close();
    progress.say("killed %s, %.1f ms within an update".formatted(process, micros / 1e3));
    Repair repair = new Repair(cluster);
    UpdateEnd end = repair.end(controller, victim == Role.CONTROLLER);
    table.line(
        "killed",
        "%s, %.1f ms within an update that had taken %.1f before"
            .formatted(process, micros / 1e3, usual.millis()));
    table.line(
        "it ended",
        end == null
            ? "without anybody who says how"
            : "%.0f ms later: %s".formatted((System.nanoTime() - killed) / 1e6, end));
    long began = System.nanoTime();
    long served = repair.mend(victim, index, BEFORE, WITHIN, end);
    cluster.endOldControllers();
    table.line(
        "mended",
        "in %.0f ms, most of them to start a process; %s"
            .formatted(
                (System.nanoTime() - began) / 1e6,
                served == Repair.NONE
                    ? "no rank serves"
                    : "all ranks serve version " + served + " of " + WITHIN));
    return Updates.run(cluster, progress, AFTER, 1);
  }
}
