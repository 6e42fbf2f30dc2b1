package io.reactivetransfer.examples.weights;

import io.reactivetransfer.examples.report.FigureTable;
import io.reactivetransfer.examples.report.Median;
import io.reactivetransfer.tools.ByteCount;
import io.reactivetransfer.tools.perf.PagedRuns;
import io.reactivetransfer.tools.perf.SideFailedException;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Updates in processes that are warm, in turn with plain writes of 1 MiB between two processes, and
 * with what prepares alone; so that a machine that is slower for a while is so for all.
 */
final class Comparison {

  private static final Duration ROUND = Duration.ofSeconds(1);
  private static final long VERSION = 1_000_000;
  private static final long WRITE_BYTES = 1 << 20;
  private static final int OUTSTANDING = 64;

  /** More of a second than that is compilers at work. */
  private static final long SETTLED_MILLIS = 50;

  private final Cluster cluster;
  private final PagedRuns plain;
  private final long bytes;
  private final List<Double> ours = new ArrayList<>();
  private final List<Double> link = new ArrayList<>();
  private final List<Double> ratios = new ArrayList<>();
  private final List<Double> updateMillis = new ArrayList<>();
  private final List<Double> writtenMillis = new ArrayList<>();
  private final List<Double> prepareMillis = new ArrayList<>();
  private final List<Double> limits = new ArrayList<>();

  private Comparison(Cluster cluster, PagedRuns plain, long bytes) {
    this.cluster = cluster;
    this.plain = plain;
    this.bytes = bytes;
  }

  /** The lines of the table. */
  static String run(Cluster cluster, int warmupSeconds, int rounds)
      throws IOException, InterruptedException, SideFailedException {
    Plan plan = cluster.plan;
    long bytes = ResultTable.bytes(cluster.table);
    try (PagedRuns plain =
        PagedRuns.openWrites(
            plan.backend(), plan.provider(), plan.nics(), WRITE_BYTES, OUTSTANDING, bytes)) {
      Comparison made = new Comparison(cluster, plain, bytes);
      cluster.fill(VERSION);
      made.warmUp(warmupSeconds);
      for (int round = 0; round < rounds; round++) {
        made.round();
      }
      return made.text(cluster.verify(VERSION), rounds);
    }
  }

  private void warmUp(int secondsEach)
      throws IOException, InterruptedException, SideFailedException {
    int processes = cluster.plan.trainers() + cluster.plan.ranks() + 1;
    long compiled = -1;
    for (int second = 0; second < secondsEach * processes; second++) {
      updates();
      plain.bytesPerSecond(ROUND);
      prepareNanos();
      long now = cluster.compiledMillis() + plain.compiledMillis();
      if (compiled >= 0 && now - compiled <= SETTLED_MILLIS) {
        return;
      }
      compiled = now;
    }
  }

  /** What updates took in a second. */
  private record Took(double updateNanos, double writtenNanos) {}

  private Took updates() throws IOException, InterruptedException {
    long end = System.nanoTime() + ROUND.toNanos();
    int count = 0;
    long updates = 0;
    long written = 0;
    while (System.nanoTime() < end) {
      UpdateEnd update = cluster.update(VERSION);
      Updates.requireFlipped(update);
      updates += update.endedNanos() - update.beganNanos();
      written += update.writtenNanos() - update.toldNanos();
      count++;
    }
    return new Took((double) updates / count, (double) written / count);
  }

  /** All trainers at once, as in an update; the slowest of them. */
  private long prepareNanos() throws IOException, InterruptedException {
    return cluster.ofTrainers("quantise").stream().mapToLong(Long::parseLong).max().orElse(0);
  }

  private void round() throws IOException, InterruptedException, SideFailedException {
    Took took = updates();
    double rate = plain.bytesPerSecond(ROUND);
    double prepare = prepareNanos() / 1e6;
    ours.add(bytes * 1e9 / took.writtenNanos);
    link.add(rate);
    ratios.add(ours.getLast() / rate);
    updateMillis.add(took.updateNanos / 1e6);
    writtenMillis.add(took.writtenNanos / 1e6);
    prepareMillis.add(prepare);
    limits.add(Math.max(prepare, bytes / rate * 1e3) / writtenMillis.getLast());
  }

  private String text(long verified, int rounds) {
    FigureTable table = new FigureTable();
    table.line(
        "warm",
        ("%s/s of %s written in an update, %.2f ms of %.2f for the whole update; medians of %d"
                + " rounds of a second; %,d bytes compared")
            .formatted(
                ResultTable.gigabytes(Median.of(ours)),
                new ByteCount(bytes),
                Median.of(writtenMillis),
                Median.of(updateMillis),
                rounds,
                verified));
    table.line(
        "perf write-imm",
        "%s/s in turn with these: writes of %s from one process to another, %d in flight, over %s"
            .formatted(
                ResultTable.gigabytes(Median.of(link)),
                new ByteCount(WRITE_BYTES),
                OUTSTANDING,
                new ByteCount(bytes)));
    table.line("ratio", ratio(ratios));
    double most = Median.of(prepareMillis);
    if (cluster.hasPrepares()) {
      table.line(
          "overlap",
          "%.2f ms to prepare alone, %.2f for the link alone, %.2f both at once"
              .formatted(most, bytes / Median.of(link) * 1e3, Median.of(writtenMillis)));
      table.line("of the slower", ratio(limits));
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
