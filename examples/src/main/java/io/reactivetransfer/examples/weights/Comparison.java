package io.reactivetransfer.examples.weights;

import io.reactivetransfer.examples.report.FigureTable;
import io.reactivetransfer.examples.report.Median;
import io.reactivetransfer.examples.report.Round;
import io.reactivetransfer.tools.ByteCount;
import io.reactivetransfer.tools.perf.PagedRuns;
import io.reactivetransfer.tools.perf.SideFailedException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Updates in processes that are warm, in turn with plain writes of 1 MiB between two processes, and
 * with what prepares alone; so that a machine that is slower for a while is so for all.
 *
 * <p>The ratio is of what is measured alike: the run of the slowest trainer and that of the plain
 * writes both take from the first write that is submitted until the last one is done, by the clock
 * of who writes. What an update takes besides, for messages of its controller, is said next to it.
 */
final class Comparison {

  private static final long VERSION = 1_000_000;
  private static final long WRITE_BYTES = 1 << 20;
  private static final int OUTSTANDING = 64;

  /** Of this machine, on which all processes are. */
  private static final int CORES = Runtime.getRuntime().availableProcessors();

  /** More of a second than that is compilers at work. */
  private static final long SETTLED_MILLIS = 50;

  private final Cluster cluster;
  private final PagedRuns plain;
  private final long bytes;
  private final Round round;
  private final List<Double> ours = new ArrayList<>();
  private final List<Double> link = new ArrayList<>();
  private final List<Double> ratios = new ArrayList<>();
  private final List<Double> toldRatios = new ArrayList<>();
  private final List<Double> updateMillis = new ArrayList<>();
  private final List<Double> toldMillis = new ArrayList<>();
  private final List<Double> runMillis = new ArrayList<>();
  private final List<Double> prepareMillis = new ArrayList<>();
  private final List<Double> coreMillis = new ArrayList<>();
  private final List<Double> limits = new ArrayList<>();
  private final List<Double> coreLimits = new ArrayList<>();

  private Comparison(Cluster cluster, PagedRuns plain, long bytes, Round round) {
    this.cluster = cluster;
    this.plain = plain;
    this.bytes = bytes;
    this.round = round;
  }

  /**
   * The lines of the table.
   *
   * @param warmups the most rounds of each process before those that count
   */
  static String run(Cluster cluster, int warmups, int rounds, Round round)
      throws IOException, InterruptedException, SideFailedException {
    Plan plan = cluster.plan;
    long bytes = ResultTable.bytes(cluster.table);
    try (PagedRuns plain =
        PagedRuns.openWrites(
            plan.backend(), plan.provider(), plan.nics(), WRITE_BYTES, OUTSTANDING, bytes)) {
      Comparison made = new Comparison(cluster, plain, bytes, round);
      cluster.fill(VERSION);
      made.warmUp(warmups);
      for (int i = 0; i < rounds; i++) {
        made.round();
      }
      return made.text(cluster.verify(VERSION), rounds);
    }
  }

  private void warmUp(int roundsEach)
      throws IOException, InterruptedException, SideFailedException {
    int processes = cluster.plan.trainers() + cluster.plan.ranks() + 1;
    long compiled = -1;
    for (int i = 0; i < roundsEach * processes; i++) {
      updates();
      plain.bytesPerSecond(round.length());
      prepared();
      long now = cluster.compiledMillis() + plain.compiledMillis();
      if (compiled >= 0 && now - compiled <= SETTLED_MILLIS) {
        return;
      }
      compiled = now;
    }
  }

  /**
   * What an update took on average.
   *
   * @param updateNanos all of it
   * @param toldNanos from when the trainers were told to write until the controller knew that they
   *     have
   * @param runNanos the slowest trainer's run
   */
  private record Took(double updateNanos, double toldNanos, double runNanos) {}

  /** What preparing alone takes: on all cores, and of one CPU. */
  private record Prepared(double nanos, double cpuNanos) {}

  private Took updates() throws IOException, InterruptedException {
    long end = System.nanoTime() + round.nanos();
    int count = 0;
    long updates = 0;
    long told = 0;
    long runs = 0;
    while (System.nanoTime() < end) {
      UpdateEnd update = cluster.update(VERSION);
      Updates.requireFlipped(update);
      updates += update.endedNanos() - update.beganNanos();
      told += update.writtenNanos() - update.toldNanos();
      runs += cluster.slowestNanos();
      count++;
    }
    return new Took((double) updates / count, (double) told / count, (double) runs / count);
  }

  /** All trainers at once, as in an update; the slowest of them, and the CPU time of all. */
  private Prepared prepared() throws IOException, InterruptedException {
    double nanos = 0;
    double cpuNanos = 0;
    for (String answer : cluster.ofTrainers("quantise")) {
      int blank = answer.indexOf(' ');
      nanos = Math.max(nanos, Double.parseDouble(answer.substring(0, blank)));
      cpuNanos += Double.parseDouble(answer.substring(blank + 1));
    }
    return new Prepared(nanos, cpuNanos);
  }

  private void round() throws IOException, InterruptedException, SideFailedException {
    Took took = updates();
    double rate = plain.bytesPerSecond(round.length());
    Prepared prepared = prepared();
    double linkNanos = bytes * 1e9 / rate;
    ours.add(bytes * 1e9 / took.runNanos);
    link.add(rate);
    ratios.add(linkNanos / took.runNanos);
    toldRatios.add(linkNanos / took.toldNanos);
    updateMillis.add(took.updateNanos / 1e6);
    toldMillis.add(took.toldNanos / 1e6);
    runMillis.add(took.runNanos / 1e6);
    prepareMillis.add(prepared.nanos / 1e6);
    double slower = Math.max(prepared.nanos, linkNanos);
    double cores = (prepared.cpuNanos + plain.cpuNanosPerByte() * bytes) / CORES;
    coreMillis.add(cores / 1e6);
    limits.add(slower / took.runNanos);
    coreLimits.add(Math.max(slower, cores) / took.runNanos);
  }

  private String text(long verified, int rounds) {
    FigureTable table = new FigureTable();
    table.line(
        "warm",
        "%s/s of %s written in an update; medians of %d rounds of %s; %,d bytes compared"
            .formatted(
                ResultTable.gigabytes(Median.of(ours)),
                new ByteCount(bytes),
                rounds,
                round,
                verified));
    table.line(
        "  of that",
        ("%.2f ms of %.2f for the whole update: the slowest trainer's run, from its first write to"
                + " its last one done; %.2f as its controller sees it")
            .formatted(Median.of(runMillis), Median.of(updateMillis), Median.of(toldMillis)));
    table.line(
        "perf write-imm",
        "%s/s in turn with these: writes of %s from one process to another, %d in flight, over %s"
            .formatted(
                ResultTable.gigabytes(Median.of(link)),
                new ByteCount(WRITE_BYTES),
                OUTSTANDING,
                new ByteCount(bytes)));
    table.line("ratio", ratio(ratios));
    table.line("  and messages", ratio(toldRatios));
    if (cluster.hasPrepares()) {
      table.line(
          "overlap",
          "%.2f ms to prepare alone, %.2f for the link alone, %.2f both at once"
              .formatted(
                  Median.of(prepareMillis), bytes / Median.of(link) * 1e3, Median.of(runMillis)));
      table.line("of the slower", ratio(limits));
      table.line(
          "of the cores",
          "%s; %.2f ms if the CPU time of both alone is divided among %d cores, where that is more"
              .formatted(ratio(coreLimits), Median.of(coreMillis), CORES));
    }
    return table.text();
  }

  private static String ratio(List<Double> of) {
    return "%.2f; %.2f to %.2f in these rounds"
        .formatted(
            Median.of(of),
            of.stream().min(Double::compare).orElseThrow(),
            of.stream().max(Double::compare).orElseThrow());
  }
}
