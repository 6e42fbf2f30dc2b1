package io.reactivetransfer.examples.moe;

import io.reactivetransfer.BackendUnavailableException;
import io.reactivetransfer.engine.TransferEngineBuilder;
import io.reactivetransfer.examples.report.FigureTable;
import io.reactivetransfer.examples.report.Round;
import io.reactivetransfer.examples.worker.WorkerChild;
import io.reactivetransfer.moe.MoeShape;
import io.reactivetransfer.tools.Backends;
import io.reactivetransfer.tools.ByteCount;
import io.reactivetransfer.tools.ChangingLine;
import io.reactivetransfer.tools.DeviceOptions;
import io.reactivetransfer.tools.OptionValues;
import io.reactivetransfer.tools.Provider;
import io.reactivetransfer.tools.Verbosity;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The options of the example, and their bounds. */
@Command(
    name = "moe",
    description = "Sends tokens to the ranks that hold their experts, and sums the results up.",
    sortOptions = false,
    footer = {
      "",
      "Starts a process for each rank. Before and behind the steps that are timed, steps whose"
          + " experts compute are compared with a reference that this process computes from the"
          + " same seed; that is always so, and there is no --verify. The experts of timed steps"
          + " take no time.",
      "Exit code 0: verified. 1: something failed or a promise was broken, and stderr says what."
          + " 2: a wrong value."
    })
public final class MoeCommand implements Callable<Integer>, Verbosity {

  private static final long MOST_BYTES = 1L << 40;

  /** Nobody is stopped: a machine that is busy is not to lose anybody. */
  private static final int LIVENESS_MILLIS = 20_000;

  /** How many overlap, each on a lane of its own. */
  private static final int MICRO_BATCHES = 2;

  /** Steps that are compared before others are timed. */
  private static final int VERIFIED = 3;

  @Spec
  @SuppressWarnings("NullAway.Init") // picocli sets it
  private CommandSpec spec;

  @Option(names = "--ranks", paramLabel = "N", description = "Processes, 2 to 64. Default: 4.")
  private int ranks = 4;

  @Option(
      names = "--tokens",
      paramLabel = "N",
      description = "Tokens of each rank in a step, 1 to 65,536. Default: 64.")
  private int tokens = 64;

  @Option(
      names = "--experts",
      paramLabel = "N",
      description = "Experts on all ranks together, 1 to 4,096. Default: 64.")
  private int experts = 64;

  @Option(
      names = "--top-k",
      paramLabel = "N",
      description = "To how many experts a token goes, 1 to 64. Default: 8.")
  private int topK = 8;

  @Option(
      names = "--hidden",
      paramLabel = "N",
      description =
          "Numbers of a token, 1 to 65,536: of one byte each and a scale for 128 of them on the way"
              + " out, of two on the way back. Default: 2048.")
  private int hidden = 2048;

  @Option(
      names = "--skew",
      paramLabel = "S",
      description =
          "How uneven the choice of experts is, 0 to 4: expert e is as likely as 1 / (e + 1)^S."
              + " Default: 0, which is even.")
  private double skew;

  @Option(
      names = "--private-slots",
      paramLabel = "N",
      description =
          "Slots that each rank has for each other one's first tokens, 0 or more; what does not fit"
              + " waits for the routes. Default: what comes if tokens spread evenly, and a fifth.")
  private @Nullable Integer privateSlots;

  @Option(
      names = "--max-received",
      paramLabel = "N",
      description =
          "The most tokens that a rank may get in a step, 1 or more; it bounds the memory. Default:"
              + " whatever may come.")
  private @Nullable Integer maxReceived;

  @Option(
      names = "--in-place",
      description =
          "Experts compute where tokens have come, and put results where they are sent from:"
              + " nothing is copied in between.")
  private boolean inPlace;

  @Option(
      names = "--steps",
      paramLabel = "N",
      description = "Steps that are timed, 1 to 1,000,000. Default: 50.")
  private int steps = 50;

  @Option(
      names = "--warmup",
      paramLabel = "S",
      description =
          "Seconds at most until the compilers have hardly anything to do, 1 to 3,600; with"
              + " --reference once more for both in turn. Default: 5.")
  private int warmupSeconds = 5;

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
      description = "NICs of each process, 1 to 8. Default: 1.")
  private int nics = 1;

  @Mixin private DeviceOptions devices = new DeviceOptions();

  @Option(
      names = "--signals",
      paramLabel = "WHERE",
      description =
          "Where engines signal, and where tokens are copied and results summed up: parallel,"
              + " Reactor's threads, or nic, the NIC's own. Default: parallel.")
  private Signals signals = Signals.PARALLEL;

  @Option(
      names = "--kill",
      description =
          "Kill one rank in the middle of steps instead of timing them: who is told what, and"
              + " when; then the others go on without it.")
  private boolean kill;

  @Option(
      names = "--reference",
      description =
          "Behind that, steps in turn with plain writes of the same bytes between the same ranks;"
              + " ends with the ratio of their times.")
  private boolean reference;

  @Option(
      names = "--overlap",
      description =
          "Behind that, two micro-batches on lanes of their own, with work that takes none of the"
              + " host's cores between the halves: one by one, in turn with overlapped.")
  private boolean overlap;

  @Option(
      names = "--barriers",
      description =
          "Behind that, steps in turn with steps that have a barrier behind each exchange, as the"
              + " reference system has, and with steps that take the memory of all lanes in turn,"
              + " of two at least.")
  private boolean barriers;

  @Option(
      names = "--host-work",
      description =
          "Behind all that, steps of other engines, whose NICs note what they are given: how long"
              + " the host needs until the writes of a step are posted, next to the figures of the"
              + " reference system.")
  private boolean hostWork;

  @Option(
      names = "--work",
      paramLabel = "MICROS",
      description =
          "For --overlap: how long each piece of work takes, of which each micro-batch has two, 1"
              + " to 10,000,000. Default: half of a step.")
  private @Nullable Integer workMicros;

  @Option(
      names = "--timeline",
      paramLabel = "FILE",
      description =
          "Draw what waits for what in three steps to this file, as SVG; with --overlap, on two"
              + " lanes.")
  private @Nullable Path timeline;

  @Option(
      names = "--rounds",
      paramLabel = "N",
      description =
          "For --reference, --overlap and --barriers: how often about a second of each is measured"
              + " in turn, 1 to 1,000. Default: 9.")
  private int rounds = 9;

  @Option(
      names = "--at-most",
      paramLabel = "RATIO",
      description = "With --reference: exit code 1 if the ratio is higher, 0.01 to 1,000.")
  private @Nullable Double atMost;

  @Option(
      names = "--deadline",
      paramLabel = "S",
      description = "Seconds that a step waits for others, 1 to 3,600. Default: 30.")
  private int deadlineSeconds = 30;

  @Option(
      names = "--seed",
      paramLabel = "N",
      description = "Of the tokens, and of all that happens at random. Default: 1.")
  private long seed = 1;

  @Option(names = "--verbose", description = "Show stack traces.")
  private boolean verbose;

  @Option(names = "--rank", hidden = true, description = "Which one a child process is.")
  private @Nullable Integer rank;

  @Option(
      names = "--round",
      hidden = true,
      description = "How long some steps take that are timed in turn with others, milliseconds.")
  private int roundMillis = Round.USUAL_MILLIS;

  @Option(names = "--lanes", hidden = true, description = "Steps that may overlap.")
  private int lanes = 1;

  @Option(names = "--liveness", hidden = true, description = "Milliseconds of silence.")
  private @Nullable Integer livenessMillis;

  @Override
  public boolean isVerbose() {
    return verbose;
  }

  /** Runs it. */
  @Override
  public Integer call() throws Exception {
    Plan plan = plan();
    Provider.use(plan.provider());
    Integer child = rank;
    if (child != null) {
      return WorkerChild.run(plan.verbose(), events -> RankWorker.open(plan, child));
    }
    Backends.requireAvailable(plan.backend(), plan.nics());
    devices.requireAvailable();
    ChangingLine progress = new ChangingLine(spec.commandLine().getOut());
    try (Cluster cluster = Cluster.start(plan, Round.ofMillis(roundMillis))) {
      progress.say(cluster.processes());
      return steps(cluster, progress);
    }
  }

  private int steps(Cluster cluster, ChangingLine progress)
      throws IOException, InterruptedException {
    FigureTable table = new FigureTable();
    table.gap();
    ResultTable.head(table, cluster.plan);
    progress.draw("comparing with the reference");
    long verified = 0;
    for (int step = 1; step <= VERIFIED; step++) {
      verified += cluster.verify(step);
    }
    progress.draw("warming up");
    cluster.warmUp(warmupSeconds);
    List<String> faults = new ArrayList<>();
    if (kill) {
      progress.draw("killing a rank");
      FigureTable lost = new FigureTable();
      verified += KillRank.run(cluster, progress, VERIFIED + 1, lost, faults);
      ResultTable.verified(table, VERIFIED + 1, verified);
      print(table.text() + lost.text());
      return end(faults);
    }
    progress.draw("timing %,d steps".formatted(steps));
    Work before = cluster.work();
    List<Times> times = cluster.steps(steps);
    Work work = cluster.work().since(before);
    Comparison.Result compared = null;
    if (reference) {
      progress.draw("steps in turn with plain writes");
      compared = Comparison.run(cluster, warmupSeconds, rounds);
    }
    double stepMillis = Times.of(times).percentiles(Half.STEP).p50Millis();
    long workNanos = workMicros == null ? (long) (stepMillis * 1e6 / 2) : workMicros * 1_000L;
    String overlapped = "";
    if (overlap) {
      progress.draw("two micro-batches");
      overlapped = Overlap.run(cluster, stepMillis, workNanos, rounds);
    }
    String again = "";
    if (barriers) {
      progress.draw("steps in turn with barriers");
      again = Barriers.run(cluster, rounds);
    }
    if (timeline != null) {
      Timeline.write(timeline, cluster, overlap ? workNanos : 0);
    }
    progress.draw("comparing with the reference");
    verified += cluster.verify(VERIFIED + 1);
    FigureTable ours = new FigureTable();
    if (hostWork) {
      progress.draw("noting when writes are posted");
      ours.gap();
      cluster.notedSteps().print(ours, cluster.plan);
    }
    progress.clear();
    ResultTable.verified(table, VERIFIED + 1, verified);
    ResultTable.steps(table, cluster.plan, times);
    ResultTable.enqueued(table, cluster.plan, times);
    ResultTable.work(table, cluster.plan, work, cluster.stepsDone(steps));
    print(table.text() + ours.text() + overlapped + again);
    if (compared != null) {
      print(compared.table());
      String above = atMost == null ? null : compared.above(atMost);
      if (above != null) {
        faults.add(above);
      }
    }
    return end(faults);
  }

  private int end(List<String> faults) {
    String name = spec.qualifiedName();
    faults.forEach(fault -> spec.commandLine().getErr().println(name + ": " + fault));
    spec.commandLine().getErr().flush();
    return faults.isEmpty() ? ExitCode.OK : ExitCode.SOFTWARE;
  }

  private void print(String text) {
    spec.commandLine().getOut().print(text);
    spec.commandLine().getOut().flush();
  }

  private Plan plan() {
    try {
      TransferEngineBuilder.create().backend(backend);
      OptionValues.within("--steps", steps, 1, 1_000_000);
      OptionValues.within("--warmup", warmupSeconds, 1, 3_600);
      OptionValues.within("--top-k", topK, 1, 64);
      if (!(skew >= 0 && skew <= 4)) {
        throw new IllegalArgumentException("expected --skew of 0 to 4, got " + skew);
      }
      if (privateSlots != null) {
        OptionValues.within("--private-slots", privateSlots, 0, Integer.MAX_VALUE);
      }
      if (maxReceived != null) {
        OptionValues.within("--max-received", maxReceived, 1, Integer.MAX_VALUE);
      }
      if (topK > OptionValues.within("--experts", experts, 1, 4_096)) {
        throw new IllegalArgumentException(
            "expected --top-k of at most --experts, %d, got %d".formatted(experts, topK));
      }
      requireOne();
      devices.requireConsistent();
      if (reference) {
        devices.requireHost("--reference");
      }
      if (inPlace) {
        devices.requireHost("--in-place");
      }
      Plan plan =
          new Plan(
              backend,
              Provider.of(backend, provider),
              OptionValues.within("--nics", nics, 1, 8),
              devices.device(),
              OptionValues.within("--ranks", ranks, 2, 64),
              OptionValues.within("--tokens", tokens, 1, 65_536),
              experts,
              topK,
              OptionValues.within("--hidden", hidden, 1, 65_536),
              skew,
              privateSlots,
              maxReceived,
              inPlace,
              overlap || barriers ? Math.max(lanes, MICRO_BATCHES) : lanes,
              signals,
              Duration.ofSeconds(OptionValues.within("--deadline", deadlineSeconds, 1, 3_600)),
              Duration.ofMillis(liveness()),
              seed,
              verbose);
      requireMemory(plan);
      return plan;
    } catch (IllegalArgumentException | ArithmeticException | BackendUnavailableException e) {
      throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()), e);
    }
  }

  private int liveness() {
    return Objects.requireNonNullElse(
        livenessMillis, kill ? KillRank.LIVENESS_MILLIS : LIVENESS_MILLIS);
  }

  private void requireOne() {
    OptionValues.within("--rounds", rounds, 1, 1_000);
    timeline = timeline == null ? null : OptionValues.writable("--timeline", timeline);
    if (kill && (reference || overlap || barriers || hostWork || timeline != null)) {
      throw new IllegalArgumentException(
          "expected --kill without --reference, --overlap, --barriers, --host-work and --timeline,"
              + " got several");
    }
    if (workMicros != null) {
      OptionValues.within("--work", workMicros, 1, 10_000_000);
      if (!overlap) {
        throw new IllegalArgumentException("expected --work with --overlap, got it alone");
      }
    }
    if (kill && backend.equals("loopback")) {
      throw new IllegalArgumentException(
          "expected --kill with a backend between processes, got --backend loopback");
    }
    if (atMost != null && !reference) {
      throw new IllegalArgumentException("expected --at-most with --reference, got it alone");
    }
    if (atMost != null && !(atMost >= 0.01 && atMost <= 1_000)) {
      throw new IllegalArgumentException("expected --at-most of 0.01 to 1,000, got " + atMost);
    }
  }

  /** What can never be allocated is a wrong value, and not a failure later. */
  private static void requireMemory(Plan plan) {
    MoeShape shape = plan.shape(plan.ranks());
    long bytes = 0;
    for (int rank = 0; rank < plan.ranks(); rank++) {
      bytes += shape.memory(rank).bytes();
    }
    if (bytes > MOST_BYTES) {
      throw new IllegalArgumentException(
          "expected ranks that need %s together at most, got %s; a smaller --max-received helps"
              .formatted(new ByteCount(MOST_BYTES), new ByteCount(bytes)));
    }
  }
}
