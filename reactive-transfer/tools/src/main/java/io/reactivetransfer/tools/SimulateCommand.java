package io.reactivetransfer.tools;

import io.reactivetransfer.simulation.Campaign;
import io.reactivetransfer.simulation.SeededRun;
import io.reactivetransfer.simulation.Simulation;
import io.reactivetransfer.simulation.Simulation.Result;
import io.reactivetransfer.simulation.kvcache.KvSimulation;
import io.reactivetransfer.simulation.weights.WeightsSimulation;
import java.io.PrintWriter;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The options of the simulation, and what it prints. */
@Command(
    name = "simulate",
    description =
        "Runs engines on a simulated network, where a seed decides all that happens and goes"
            + " wrong, and checks every rule after every step.",
    sortOptions = false,
    footer = {
      "",
      "Exit code 0: every rule held. 1: one did not, and the seed and a short trace are shown."
          + " 2: a wrong value."
    })
public final class SimulateCommand implements Callable<Integer>, Verbosity {

  private static final long MAX_SEEDS = 1_000_000_000;
  private static final int MAX_THREADS = 256;
  private static final int MAX_FAILURES = 3;
  private static final long NANOS_PER_LINE = 2_000_000_000;

  @Spec
  @SuppressWarnings("NullAway.Init") // picocli sets it
  private CommandSpec spec;

  @Option(
      names = "--seeds",
      paramLabel = "N",
      description = "How many seeds, 1 to 1,000,000,000. Default: 1,000, or 1 with --seed.")
  private @Nullable Long seeds;

  @Option(names = "--seed", paramLabel = "S", description = "The first of them. Default: 0.")
  private @Nullable Long seed;

  @Option(
      names = "--threads",
      paramLabel = "N",
      description = "Seeds that run at the same time, 1 to 256. Default: 2.")
  private int threads = 2;

  @Option(
      names = "--pipeline",
      paramLabel = "WHAT",
      description =
          "What runs on the engines: engine (their own operations), kv-cache (the hand-over of KV"
              + " caches), or weights (weights from trainers to inference ranks). Default: engine.")
  private String pipeline = "engine";

  @Option(names = "--verbose", description = "Show stack traces and what the engines log.")
  private boolean verbose;

  @Override
  public boolean isVerbose() {
    return verbose;
  }

  /** Runs it. */
  @Override
  public Integer call() throws InterruptedException {
    long count = seeds == null ? (seed == null ? 1_000 : 1) : seeds;
    try {
      OptionValues.within("--seeds", count, 1, MAX_SEEDS);
      OptionValues.within("--threads", threads, 1, MAX_THREADS);
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()), e);
    }
    if (!verbose) {
      // they warn of what the simulation does to them
      System.setProperty("org.slf4j.simpleLogger.log.io.reactivetransfer.engine", "off");
      System.setProperty("org.slf4j.simpleLogger.log.io.reactivetransfer.kvcache", "off");
      System.setProperty("org.slf4j.simpleLogger.log.io.reactivetransfer.weights", "off");
    }
    Campaign campaign = new Campaign(seed == null ? 0 : seed, count, runs(), MAX_FAILURES);
    long began = System.nanoTime();
    AtomicLong nextLine = new AtomicLong(began + NANOS_PER_LINE);
    List<Result> failures =
        campaign.run(
            threads,
            done -> {
              long now = System.nanoTime();
              long line = nextLine.get();
              if (now - line >= 0 && nextLine.compareAndSet(line, now + NANOS_PER_LINE)) {
                progress(done, count, now - began);
              }
            });
    PrintWriter out = spec.commandLine().getOut();
    failures.forEach(failure -> print(failure, out));
    double seconds = (System.nanoTime() - began) / 1e9;
    out.printf(
        "simulate: %,d seeds, %s, %,.0f seeds/s and %,.0f events/s on %d threads, %.1f s%n",
        campaign.done(),
        failures.isEmpty() ? "every rule held" : failures.size() + " broke a rule",
        campaign.done() / seconds,
        campaign.events() / seconds,
        threads,
        seconds);
    out.flush();
    return failures.isEmpty() ? ExitCode.OK : ExitCode.SOFTWARE;
  }

  private Supplier<SeededRun> runs() {
    return switch (pipeline) {
      case "engine" -> Simulation::new;
      case "kv-cache" -> KvSimulation::new;
      case "weights" -> WeightsSimulation::new;
      default ->
          throw new ParameterException(
              spec.commandLine(),
              "--pipeline: expected engine, kv-cache or weights, got " + pipeline);
    };
  }

  private void progress(long done, long all, long nanos) {
    PrintWriter err = spec.commandLine().getErr();
    err.printf("simulate: %,d of %,d seeds, %,.0f seeds/s%n", done, all, done / (nanos / 1e9));
    err.flush();
  }

  private void print(Result failure, PrintWriter out) {
    out.printf("seed %d: %s%n", failure.seed(), failure.violation());
    String what = pipeline.equals("engine") ? "" : " --pipeline " + pipeline;
    out.printf("again: %s%s --seed %d%n", spec.qualifiedName(), what, failure.seed());
    out.println("what happened last, without the acts that it does not need:");
    failure.trace().forEach(line -> out.println("  " + line));
    out.println();
  }
}
