package io.reactivetransfer.examples.kvcache;

import io.reactivetransfer.examples.report.FigureTable;
import io.reactivetransfer.examples.report.Median;
import io.reactivetransfer.examples.report.Round;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * One decode node that many prefill nodes feed, and one prefill node that feeds many decode nodes,
 * each in a process of its own, in turn with one of each.
 */
final class Scaling {

  /** What some nodes came to. */
  private static final class Figures {
    final List<Double> ratios = new ArrayList<>();
    final List<Double> rates = new ArrayList<>();
    private long[] ofEach = new long[0];

    void add(List<Long> round, double oneToOne) {
      if (ofEach.length == 0) {
        ofEach = new long[round.size()];
      }
      double sum = 0;
      for (int i = 0; i < ofEach.length; i++) {
        ofEach[i] += round.get(i);
        sum += round.get(i);
      }
      rates.add(sum);
      ratios.add(sum / oneToOne);
    }

    double slowestToFastest() {
      long slowest = Long.MAX_VALUE;
      long fastest = 1;
      for (long one : ofEach) {
        slowest = Math.min(slowest, one);
        fastest = Math.max(fastest, one);
      }
      return (double) slowest / fastest;
    }
  }

  private Scaling() {}

  /**
   * The lines of the table.
   *
   * @param many how many nodes there are of the kind of which there are several
   * @param warmups the most rounds of each process before those that count
   */
  static String run(Plan plan, int many, int warmups, int rounds, Round round)
      throws IOException, InterruptedException {
    Figures one = new Figures();
    Figures fed = new Figures();
    Figures feeds = new Figures();
    long verified;
    try (Workers oneToOne = Workers.open(plan, 1, 1);
        Workers manyToOne = Workers.open(plan, many, 1);
        Workers oneToMany = Workers.open(plan, 1, many)) {
      for (Workers workers : List.of(oneToOne, manyToOne, oneToMany)) {
        workers.warmUp(warmups, round);
      }
      for (int i = 0; i < rounds; i++) {
        List<Long> alone = oneToOne.run(round.nanos());
        double rate = alone.getFirst();
        one.add(alone, rate);
        fed.add(manyToOne.run(round.nanos()), rate);
        feeds.add(oneToMany.run(round.nanos()), rate);
      }
      verified = manyToOne.verify() + oneToMany.verify();
    }
    FigureTable table = new FigureTable();
    table.line(
        "one to one",
        "%.2f GB/s of %s, one hand-over after the other; medians of %d rounds of %s"
            .formatted(Median.of(one.rates) / 1e9, plan.shape(), rounds, round));
    table.line(many + " to one", line(fed));
    table.line("one to " + many, line(feeds));
    table.line("verified", "%,d pages by CRC-32C at the targets".formatted(verified));
    return table.text();
  }

  private static String line(Figures figures) {
    return "%.2f GB/s in all, %.2f of one to one; slowest to fastest %.2f"
        .formatted(
            Median.of(figures.rates) / 1e9, Median.of(figures.ratios), figures.slowestToFastest());
  }
}
