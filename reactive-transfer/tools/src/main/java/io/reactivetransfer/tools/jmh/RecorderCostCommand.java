package io.reactivetransfer.tools.jmh;

import io.reactivetransfer.tools.OptionValues;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * What recorders add to a write, in one process: two engines without one and an engine of each take
 * turns of some milliseconds, and differences within a round are what counts. So it tells apart a
 * nanosecond that is lost between two forks of {@link SubmitBenchmark}, whose streams these are:
 * they are compiled alike, and whatever slows the machine down slows down all of them. Those of the
 * two without a recorder from their mean say how much is none.
 */
@Command(
    name = "recorder-cost",
    description =
        "Measures what recorders of events and meters add to a write, over a NIC that moves"
            + " nothing.",
    sortOptions = false)
public final class RecorderCostCommand implements Callable<Integer> {

  private static final int SINGLES = 300;

  /** Nothing records: a recording is of the whole process, and so of the events of all engines. */
  private static final List<String> RECORDERS = List.of("none", "events", "meters", "none");

  /**
   * So many times the root of the rounds above and below the median, in order, lie the bounds
   * between which that of all rounds there could be is in 95 of 100 cases.
   */
  private static final double HALF_WIDTH = 0.98;

  @Spec
  @SuppressWarnings("NullAway.Init") // picocli sets it
  private CommandSpec spec;

  @Option(
      names = "--rounds",
      paramLabel = "N",
      description = "Turns of each engine that count, of some 10 ms. Default: 1,000.")
  private int rounds = 1_000;

  /** For picocli. */
  public RecorderCostCommand() {}

  /** A part of a benchmark that takes some milliseconds. */
  private interface Turn {
    void run(SubmitBenchmark benchmark) throws InterruptedException;
  }

  @Override
  public Integer call() throws InterruptedException {
    try {
      OptionValues.within("--rounds", rounds, 5, 1_000_000);
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()), e);
    }
    List<SubmitBenchmark> benchmarks = new ArrayList<>();
    try {
      for (String recorder : RECORDERS) {
        SubmitBenchmark benchmark = new SubmitBenchmark();
        benchmark.recorder = recorder;
        benchmark.open();
        benchmarks.add(benchmark);
      }
      print(
          "a write of a stream",
          measure(benchmarks, SubmitBenchmark::writeImm, SubmitBenchmark.WRITES));
      print(
          "a stream of one write",
          measure(benchmarks, RecorderCostCommand::singles, SINGLES * SubmitBenchmark.STREAMS));
    } finally {
      benchmarks.forEach(SubmitBenchmark::close);
    }
    return 0;
  }

  private static void singles(SubmitBenchmark benchmark) throws InterruptedException {
    for (int i = 0; i < SINGLES; i++) {
      benchmark.singleWrite();
    }
  }

  /** Nanoseconds of a write, by engine and round. */
  private double[][] measure(List<SubmitBenchmark> benchmarks, Turn turn, int writes)
      throws InterruptedException {
    double[][] nanos = new double[benchmarks.size()][rounds];
    for (int round = -rounds / 5; round < rounds; round++) {
      for (int i = 0; i < nanos.length; i++) {
        int each = Math.floorMod(round + i, nanos.length); // nobody is always behind the same
        long began = System.nanoTime();
        turn.run(benchmarks.get(each));
        if (round >= 0) { // before, it is compiled
          nanos[each][round] = (System.nanoTime() - began) / (double) writes;
        }
      }
    }
    return nanos;
  }

  private void print(String title, double[][] nanos) {
    PrintWriter out = spec.commandLine().getOut();
    out.printf("%s, ns:%n", title);
    out.printf("  %-10s %8s %14s   %s%n", "recorder", "median", "more than none", "95 %");
    int around = (int) Math.ceil(HALF_WIDTH * Math.sqrt(rounds));
    for (int i = 0; i < nanos.length; i++) {
      double[] more = new double[rounds];
      for (int round = 0; round < rounds; round++) {
        more[round] = nanos[i][round] - (nanos[0][round] + nanos[nanos.length - 1][round]) / 2;
      }
      Arrays.sort(more);
      double[] sorted = nanos[i].clone();
      Arrays.sort(sorted);
      out.printf(
          "  %-10s %8.2f %14.2f   %.2f to %.2f%n",
          RECORDERS.get(i),
          sorted[rounds / 2],
          more[rounds / 2],
          more[Math.max(0, rounds / 2 - around)],
          more[Math.min(rounds - 1, rounds / 2 + around)]);
    }
    out.flush();
  }
}
