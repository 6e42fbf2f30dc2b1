package io.reactivetransfer.tools.moe;

import com.sun.management.ThreadMXBean;
import io.reactivetransfer.tools.OptionValues;
import java.io.PrintWriter;
import java.lang.management.ManagementFactory;
import java.util.concurrent.Callable;
import org.HdrHistogram.Histogram;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** What a step costs on the host of one rank, next to the reference system's figures. */
@Command(
    name = "host-work",
    description =
        "Measures the host's part of a step of experts: one rank among many, over a NIC that moves"
            + " nothing.",
    sortOptions = false)
public final class HostWorkCommand implements Callable<Integer> {

  private static final int MIN_STEPS = 10;

  @Spec
  @SuppressWarnings("NullAway.Init") // picocli sets it
  private CommandSpec spec;

  @Option(names = "--ranks", paramLabel = "N", description = "2 to 128. Default: 64.")
  private int ranks = 64;

  @Option(
      names = "--tokens",
      paramLabel = "N",
      description = "Tokens of 16 bytes of each rank, for 8 experts each. Default: 128.")
  private int tokens = 128;

  @Option(names = "--steps", paramLabel = "N", description = "Steps of a round. Default: 20,000.")
  private int steps = 20_000;

  @Option(names = "--rounds", paramLabel = "N", description = "The last one counts. Default: 5.")
  private int rounds = 5;

  @Option(
      names = "--threads",
      paramLabel = "N",
      description =
          "1: the engine runs on the caller's thread. 2: on a thread of its own, and both spin."
              + " Default: 1.")
  private int threads = 1;

  @Option(
      names = "--lanes",
      paramLabel = "N",
      description =
          "On how many lanes steps go in turn, 1 to 8, so that each step finds other buffers."
              + " Default: 1.")
  private int lanes = 1;

  @Option(
      names = "--barriers",
      description =
          "Behind each exchange a barrier, as the reference system has them: a write without bytes"
              + " to each other rank, and a claim of as many.")
  private boolean barriers;

  @Override
  public Integer call() {
    try {
      OptionValues.within("--ranks", ranks, 2, 128);
      OptionValues.within("--tokens", tokens, ranks / 8 + 1, 4_096);
      OptionValues.within("--steps", steps, MIN_STEPS, 100_000_000);
      OptionValues.within("--rounds", rounds, 1, 1_000);
      OptionValues.within("--threads", threads, 1, 2);
      OptionValues.within("--lanes", lanes, 1, 8);
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()), e);
    }
    try (OneRank rank = OneRank.open(ranks, tokens, threads == 1, lanes, barriers)) {
      Figures last = measure(rank);
      for (int round = 1; round < rounds; round++) {
        last = measure(rank);
      }
      last.print(spec.commandLine().getOut());
    }
    return 0;
  }

  private Figures measure(OneRank rank) {
    Figures figures = new Figures(ranks, threads, lanes, barriers);
    ThreadMXBean beans = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long bytes = beans.getTotalThreadAllocatedBytes();
    long began = System.nanoTime();
    for (int i = 0; i < steps; i++) {
      rank.step(figures);
    }
    figures.stepNanos = (System.nanoTime() - began) / steps;
    figures.bytesPerStep = (beans.getTotalThreadAllocatedBytes() - bytes) / steps;
    return figures;
  }

  /** What was seen in one round. */
  private static final class Figures implements Moments {
    private final int ranks;
    private final int threads;
    private final int lanes;
    private final boolean hasBarriers;
    private final Histogram[][] histograms = new Histogram[3][4];
    private long bytesPerStep;
    private long stepNanos;

    Figures(int ranks, int threads, int lanes, boolean hasBarriers) {
      this.ranks = ranks;
      this.threads = threads;
      this.lanes = lanes;
      this.hasBarriers = hasBarriers;
      for (Histogram[] of : histograms) {
        for (int i = 0; i < of.length; i++) {
          of[i] = new Histogram(10_000_000_000L, 3);
        }
      }
    }

    @Override
    public void posted(
        OneRank.Exchange exchange, long begun, long enqueued, long turn, long first, long last) {
      Histogram[] of = histograms[numberOf(exchange)];
      of[0].recordValue(enqueued - begun);
      of[1].recordValue(Math.max(0, turn - enqueued));
      of[2].recordValue(Math.max(0, first - Math.max(begun, turn)));
      of[3].recordValue(Math.max(0, last - Math.max(begun, turn)));
    }

    private static int numberOf(OneRank.Exchange exchange) {
      return switch (exchange) {
        case ROUTES, TOKENS -> 0;
        case RESULTS -> 1;
        case BARRIER -> 2;
      };
    }

    void print(PrintWriter out) {
      out.printf(
          "%d ranks, %d thread%s%s%n",
          ranks,
          threads,
          threads == 1 ? "" : "s",
          lanes == 1 ? "" : ", steps on %d lanes in turn".formatted(lanes));
      out.println("p50 / p99, us    enqueue          hand-over        first post       last post");
      row(out, "routes", histograms[0]);
      row(out, "results", histograms[1]);
      if (hasBarriers) {
        row(out, "barriers", histograms[2]);
      }
      out.println(
          "reference        0.12 / 2.02      0.86 / 1.45      0.44 / 0.74      8.50 / 12.31");
      out.printf("step             %.2f us, %,d B allocated%n", stepNanos / 1e3, bytesPerStep);
      out.flush();
    }

    private static void row(PrintWriter out, String name, Histogram[] of) {
      out.printf("%-17s", name);
      for (Histogram each : of) {
        out.printf(
            "%-17s",
            "%.2f / %.2f"
                .formatted(
                    each.getValueAtPercentile(50) / 1e3, each.getValueAtPercentile(99) / 1e3));
      }
      out.println();
    }
  }
}
