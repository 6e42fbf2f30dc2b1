package io.reactivetransfer.examples.weights;

import io.reactivetransfer.examples.report.FigureTable;
import io.reactivetransfer.examples.worker.AskedWorker;
import io.reactivetransfer.weights.version.UpdateResult.Decision;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Many updates within which a process is killed or stopped at a random moment, while each rank
 * reads what it serves. Whatever happens: every byte that is read is of one version, no rank serves
 * an earlier version than another one, each update ends, as is said, and behind it all ranks serve
 * the same.
 */
final class Trouble {

  /** A process that was stopped counts as lost after this time. */
  static final int LIVENESS_MILLIS = 5_000;

  /** What a stopped process has left to do comes within this time. */
  private static final long LATE_MILLIS = 300;

  private static final long LEAST_PAUSE_MILLIS = 5;
  private static final long MOST_PAUSE_MILLIS = 1_200;

  /** Longer than a pause that is still taken for life; the detection takes its time, too. */
  private static final long STOP_MILLIS = LIVENESS_MILLIS + 1_500;

  private static final int WARM_UPS = 5;
  private static final int MOST_TRIES = 5;

  private static final class OfFate {
    int count;
    double mostMillis;
    final Map<String, Integer> ends = new TreeMap<>();
  }

  private final Cluster cluster;
  private final Progress progress;
  private final List<String> faults;
  private final Repair repair;
  private final Readings readings = new Readings();
  private final Map<String, OfFate> tally = new TreeMap<>();
  private final long[] batches;
  private final Random random;

  /** What is served, and what was tried last. */
  private long served = Repair.NONE;

  private long tried;
  private double usualMillis;

  /**
   * Of processes that have nothing to do yet.
   *
   * @param faults is told what should not be
   */
  Trouble(Cluster cluster, Progress progress, List<String> faults) {
    this.cluster = cluster;
    this.progress = progress;
    this.faults = faults;
    this.repair = new Repair(cluster);
    this.random = new Random(cluster.plan.seed());
    this.batches = new long[cluster.plan.ranks()];
  }

  /** Runs it, until something is not as it should be; returns the lines of the table. */
  String run(int count) throws InterruptedException {
    long began = System.nanoTime();
    int done = 0;
    try {
      for (int i = 0; i < WARM_UPS; i++) {
        calm();
      }
      cluster.ofRanks("read");
      for (; done < count && faults.isEmpty(); done++) {
        update(done);
      }
      calm();
      cluster.verify(tried);
    } catch (IOException e) {
      faults.add("update %d: %s".formatted(done + 1, e.getMessage()));
    }
    listenToAll();
    readings.check(faults);
    return text(done, System.nanoTime() - began);
  }

  /** One to which nothing happens; again, if its deadline was too short for processes this cold. */
  private void calm() throws IOException, InterruptedException {
    UpdateEnd end;
    int tries = 0;
    do {
      cluster.fill(++tried);
      end = cluster.update(tried);
    } while (!end.isFlipped() && ++tries < MOST_TRIES);
    Updates.requireFlipped(end);
    served = tried;
    usualMillis = usualMillis == 0 ? end.millis() : Math.min(usualMillis, end.millis());
  }

  private void update(int number) throws IOException, InterruptedException {
    Fate.Chosen chosen = Fate.choose(random);
    Role whom = chosen.whom();
    int index = whom == null ? 0 : random.nextInt(cluster.count(whom));
    long micros = (long) (usualMillis * 1_000 * random.nextDouble(1.5));
    long pauseMillis = random.nextLong(LEAST_PAUSE_MILLIS, MOST_PAUSE_MILLIS);
    cluster.fill(++tried);
    if (whom == Role.RANK) {
      listen(index);
    }
    AskedWorker controller = cluster.process(Role.CONTROLLER, 0);
    AskedWorker process = whom == null ? null : cluster.process(whom, index);
    cluster.beginUpdate(tried, cluster.allRanks());
    long began = System.nanoTime();
    TimeUnit.MICROSECONDS.sleep(micros);
    if (process != null && chosen.fate() == Fate.KILL) {
      process.close();
    } else if (process != null) {
      process.signal("STOP");
    }
    boolean isGone = chosen.fate() == Fate.KILL || chosen.fate() == Fate.STOP;
    UpdateEnd end;
    if (process != null && chosen.fate() == Fate.STOP) {
      end = stopped(process, whom, index, controller);
    } else {
      if (process != null && chosen.fate() == Fate.PAUSE) {
        TimeUnit.MILLISECONDS.sleep(pauseMillis);
        process.signal("CONT");
      }
      end = repair.end(controller, chosen.fate() == Fate.KILL && whom == Role.CONTROLLER);
    }
    if (chosen.fate() == Fate.PAUSE && end != null && !end.isFlippedEverywhere()) {
      isGone = true; // somebody may have taken it for lost, and keeps it out from now on
      if (whom == Role.RANK) {
        listen(index);
      }
    }
    if (end != null && end.isFlippedEverywhere()) {
      usualMillis = Math.min(usualMillis, end.millis()); // processes get warmer
    }
    long before = served;
    boolean isReplaced = chosen.fate() == Fate.STOP && whom == Role.CONTROLLER;
    served = repair.mend(isGone && !isReplaced ? whom : null, index, before, tried, end);
    cluster.endOldControllers();
    if (isGone && whom == Role.RANK) {
      batches[index] = 0;
      cluster.rank(index).answer("read");
    }
    took(chosen, end, before, (System.nanoTime() - began) / 1e6);
    progress.say(
        "update %d: %s after %.1f ms; %s; version %d is served"
            .formatted(
                number + 1, chosen, micros / 1e3, end == null ? "nobody says" : end, served));
  }

  /** It goes on when it counts as lost, and may do what it still wants to before it is replaced. */
  private @Nullable UpdateEnd stopped(
      AskedWorker process, @Nullable Role whom, int index, AskedWorker controller)
      throws IOException, InterruptedException {
    UpdateEnd end = null;
    if (whom != Role.CONTROLLER) {
      long began = System.nanoTime();
      end = repair.end(controller, false);
      long left = STOP_MILLIS - (System.nanoTime() - began) / 1_000_000;
      TimeUnit.MILLISECONDS.sleep(Math.max(0, left));
    } else {
      TimeUnit.MILLISECONDS.sleep(STOP_MILLIS);
      // Another one takes over while it stands still.
      cluster.addController();
      UpdateEnd recovered = cluster.recover();
      if (recovered.decision() != Decision.RECOVERED) {
        throw new IOException("expected a recovery beside a stopped controller, got " + recovered);
      }
    }
    process.signal("CONT");
    TimeUnit.MILLISECONDS.sleep(LATE_MILLIS);
    if (whom == Role.CONTROLLER) {
      end = repair.end(controller, false);
    } else if (whom == Role.RANK) {
      listen(index);
    }
    return end;
  }

  private void listen(int rank) throws IOException, InterruptedException {
    String report = cluster.rank(rank).answer("readers");
    batches[rank] = readings.add(Role.RANK.name(rank), report, batches[rank], faults);
  }

  private void listenToAll() throws InterruptedException {
    for (int i = 0; i < cluster.plan.ranks(); i++) {
      try {
        listen(i);
      } catch (IOException e) {
        faults.add("no report of " + Role.RANK.name(i) + ": " + e.getMessage());
      }
    }
  }

  private void took(Fate.Chosen chosen, @Nullable UpdateEnd end, long before, double millis) {
    OfFate one = tally.computeIfAbsent(chosen.toString(), any -> new OfFate());
    one.count++;
    one.mostMillis = Math.max(one.mostMillis, millis);
    String said = end == null ? "no end" : end.decision().toString();
    String then = served == Repair.NONE ? "torn" : served == before ? "old" : "new";
    one.ends.merge(said + ", then " + then, 1, Integer::sum);
  }

  private String text(int done, long nanos) {
    FigureTable table = new FigureTable();
    table.gap();
    ResultTable.head(table, cluster);
    table.line(
        "trouble",
        "%d updates in %.0f s, mode %s, seed %d; an update takes %.1f ms"
            .formatted(done, nanos / 1e9, cluster.plan.mode(), cluster.plan.seed(), usualMillis));
    tally.forEach((fate, one) ->
        table.line(
            fate, " %d: %s; mended within %.0f ms".formatted(one.count, one.ends, one.mostMillis)));
    table.line("read", readings.toString());
    table.line(
        "promises",
        faults.isEmpty()
            ? "kept: no mixture, no rank stuck, each end as it was said"
            : "broken: " + faults.size());
    return table.text();
  }
}
