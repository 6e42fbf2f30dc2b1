package io.reactivetransfer.tools.soak;

import io.reactivetransfer.BackendUnavailableException;
import io.reactivetransfer.engine.TransferEngineBuilder;
import io.reactivetransfer.tools.Backends;
import io.reactivetransfer.tools.CommandLines;
import io.reactivetransfer.tools.OptionValues;
import io.reactivetransfer.tools.Provider;
import io.reactivetransfer.tools.Verbosity;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The options of the soak, and how it ends. */
@Command(
    name = "soak",
    description =
        "Has two processes write to each other for long, with cancels, revocations, deadlines,"
            + " messages and barriers, and compares every page at every arrival.",
    sortOptions = false,
    footer = {
      "",
      "Two pairs of engines work at once: one stays open, the other one is opened again and again,"
          + " with one NIC and with --nics in turn. Prints a line for each process and minute.",
      "Exit code 0: every byte was right, every answer came, and nothing grew. 1: not so; stderr"
          + " says what was expected, what came, and where. 2: a wrong value."
    })
public final class SoakCommand implements Callable<Integer>, Verbosity {

  private static final double MAX_MINUTES = 100_000;
  private static final Duration PHASE = Duration.ofSeconds(20);

  @Spec
  @SuppressWarnings("NullAway.Init") // picocli sets it
  private CommandSpec spec;

  @Option(
      names = "--minutes",
      paramLabel = "N",
      description = "How long, above 0, to 100,000; fractions are welcome. Default: 1.")
  private double minutes = 1;

  @Option(
      names = "--backend",
      paramLabel = "NAME",
      description = "What carries it, see 'doctor'; loopback runs in one JVM. Default: tcp.")
  private String backend = "tcp";

  @Option(
      names = "--provider",
      paramLabel = "NAME",
      description = "For libfabric: its provider, such as tcp, see fi_info. Default: its choice.")
  private @Nullable String provider;

  @Option(
      names = "--nics",
      paramLabel = "N",
      description = "NICs of an engine, 1 to 8. Default: 2.")
  private int nics = 2;

  @Option(
      names = "--streams",
      paramLabel = "N",
      description = "Streams of each engine in each direction, 1 to 64. Default: 8.")
  private int streams = 8;

  @Option(
      names = "--seed",
      paramLabel = "S",
      description = "Decides all but the timing. Default: another one each time.")
  private @Nullable Long seed;

  @Option(
      names = "--limit",
      paramLabel = "S",
      description = "Seconds after which an answer counts as lost, 1 to 3,600. Default: 30.")
  private int limitSeconds = 30;

  @Option(
      names = "--without",
      paramLabel = "WHAT",
      split = ",",
      description = "Leaves out any of ${COMPLETION-CANDIDATES}.")
  private Set<Feature> without = new TreeSet<>();

  @Option(names = "--verbose", description = "Show stack traces.")
  private boolean verbose;

  @Option(names = "--side", hidden = true)
  private @Nullable Integer side;

  @Override
  public boolean isVerbose() {
    return verbose;
  }

  /** Runs it, or one side of it. */
  @Override
  public Integer call() throws IOException, InterruptedException {
    Plan plan = plan();
    Provider.use(plan.provider());
    if (side != null) {
      return ChildProcess.run(plan, side);
    }
    Backends.requireAvailable(plan.backend(), plan.nics());
    PrintWriter out = spec.commandLine().getOut();
    List<Side> sides = sides(plan);
    Thread onExit = Thread.ofPlatform().unstarted(() -> sides.forEach(Side::close));
    Runtime.getRuntime().addShutdownHook(onExit);
    say(out, title(plan, sides));
    try {
      new Soak(plan, sides, line -> say(out, line)).run();
      say(out, "soak: every byte was right, every answer came; " + Flatness.tolerances());
      return ExitCode.OK;
    } catch (SoakFailure e) {
      PrintWriter err = spec.commandLine().getErr();
      if (verbose) {
        e.printStackTrace(err);
      }
      say(err, "soak: " + CommandLines.describe(e) + "; seed " + plan.seed());
      return ExitCode.SOFTWARE;
    } finally {
      sides.forEach(Side::close);
    }
  }

  private static List<Side> sides(Plan plan) throws IOException {
    if (plan.backend().equals("loopback")) {
      return List.of(
          new Host(plan, 0, nics -> Engines.open(plan, nics)),
          new Host(plan, 1, nics -> Engines.open(plan, nics)));
    }
    return List.of(ChildSide.start(plan, 0), ChildSide.start(plan, 1));
  }

  private static String title(Plan plan, List<Side> sides) {
    return "soak over %s, 1 and %d NICs, 2 times %d streams in each direction, seed %d%s%s"
        .formatted(
            Provider.carrier(plan.backend(), plan.provider()),
            plan.nics(),
            plan.streams(),
            plan.seed(),
            plan.without().isEmpty() ? "" : ", without " + Plan.namesOf(plan.without()),
            sides.get(0) instanceof ChildSide first && sides.get(1) instanceof ChildSide second
                ? ", processes " + first.pid() + " and " + second.pid()
                : "");
  }

  private static void say(PrintWriter out, String line) {
    out.println(line);
    out.flush();
  }

  private Plan plan() {
    try {
      if (!(minutes > 0 && minutes <= MAX_MINUTES)) {
        throw new IllegalArgumentException(
            "expected --minutes above 0 and up to 100,000, got " + minutes);
      }
      TransferEngineBuilder.create().backend(backend);
      return new Plan(
          backend,
          Provider.of(backend, provider),
          OptionValues.within("--nics", nics, 1, 8),
          OptionValues.within("--streams", streams, 1, 64),
          Duration.ofMillis(Math.max(1, Math.round(minutes * 60_000))),
          PHASE,
          Duration.ofSeconds(OptionValues.within("--limit", limitSeconds, 1, 3_600)),
          seed == null ? System.nanoTime() & Integer.MAX_VALUE : seed,
          without,
          verbose);
    } catch (IllegalArgumentException | BackendUnavailableException e) {
      throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()), e);
    }
  }
}
