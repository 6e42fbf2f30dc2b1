package io.reactivetransfer.examples.weights;

import io.reactivetransfer.BackendUnavailableException;
import io.reactivetransfer.engine.TransferEngineBuilder;
import io.reactivetransfer.examples.report.FigureTable;
import io.reactivetransfer.examples.report.Round;
import io.reactivetransfer.examples.worker.WorkerChild;
import io.reactivetransfer.tools.Backends;
import io.reactivetransfer.tools.ByteCount;
import io.reactivetransfer.tools.DeviceOptions;
import io.reactivetransfer.tools.OptionValues;
import io.reactivetransfer.tools.Provider;
import io.reactivetransfer.tools.Verbosity;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The options of the example, and their bounds. */
@Command(
    name = "weights",
    description = "Brings weights from the ranks of a trainer to inference ranks.",
    sortOptions = false,
    footer = {
      "",
      "Starts a process for each trainer, each inference rank and the controller. Ends with a"
          + " table; \"verified\" means that a checksum of each tensor at each rank is that of a"
          + " reference that one process has computed.",
      "Exit code 0: verified. 1: something failed or a promise was broken, and stderr says what."
          + " 2: a wrong value."
    })
public final class WeightsCommand implements Callable<Integer>, Verbosity {

  private static final int DEADLINE_SECONDS = 60;
  private static final int TROUBLE_DEADLINE_SECONDS = 20;

  /** Nobody is stopped: a machine that is busy is not to lose anybody. */
  private static final int LIVENESS_MILLIS = 20_000;

  private static final long SIZE = 64 << 20;
  private static final long TROUBLE_SIZE = 1 << 20;
  private static final long FLIPS_SIZE = 64 << 10;
  private static final int LEAST_WARM_UPS = 100;

  @Spec
  @SuppressWarnings("NullAway.Init") // picocli sets it
  private CommandSpec spec;

  @Parameters(
      arity = "0..1",
      paramLabel = "FILE",
      description =
          "A model: a safetensors file, or the index (.json) of several. Default: one that is made"
              + " up.")
  private @Nullable Path file;

  @Option(
      names = "--size",
      paramLabel = "BYTES",
      description =
          "Bytes of a model that is made up, such as 1GiB; 64KiB at least. Default: 64MiB.")
  private @Nullable String size;

  @Option(
      names = "--trainers",
      paramLabel = "N",
      description = "Trainer processes, 1 to 64. Default: those of --from, or 2.")
  private @Nullable Integer trainers;

  @Option(
      names = "--ranks",
      paramLabel = "N",
      description = "Inference processes, 1 to 64. Default: those of --to, or 3.")
  private @Nullable Integer ranks;

  @Option(
      names = "--from",
      paramLabel = "LAYOUT",
      description =
          "How trainers share the model out: axes dp, fsdp, pp and tp, whose product is the number"
              + " of processes, and a dtype (fp32, bf16, fp16) of a model that is made up. Default:"
              + " fsdp=2.")
  private @Nullable String from;

  @Option(
      names = "--to",
      paramLabel = "LAYOUT",
      description =
          "How inference ranks do, and what they have: dtype fp32, bf16, fp16, or fp8, fp8_e5m2,"
              + " int8, with scales for blocks of 128 x 128. Default: tp=3,dtype=fp8.")
  private @Nullable String to;

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
      names = "--updates",
      paramLabel = "N",
      description = "Updates, each with other values, 1 to 10,000. Default: 3.")
  private int updates = 3;

  @Option(
      names = "--mode",
      paramLabel = "MODE",
      description =
          "outlive: leases of the old version go on; wait: the flip waits for them; in-place: ranks"
              + " stop and are written to where they read. Default: outlive.")
  private Mode mode = Mode.OUTLIVE;

  @Option(
      names = "--checksums",
      paramLabel = "WHICH",
      description =
          "Which bytes ranks compare before they vote: ${COMPLETION-CANDIDATES}. Default: sampled;"
              + " with --flips and --reference none.")
  private @Nullable Checks checksums;

  @Option(
      names = {"--watermark", "--memory"},
      paramLabel = "BYTES",
      description = "Temporaries of each trainer, at most. Default: 256MiB.")
  private String watermark = "256MiB";

  @Option(
      names = "--parallelism",
      paramLabel = "N",
      description =
          "How many steps each trainer loads and prepares at once, 1 to 1,000. Default: the number"
              + " of processors.")
  private int parallelism = Runtime.getRuntime().availableProcessors();

  @Option(
      names = "--signals",
      paramLabel = "WHERE",
      description =
          "Where engines signal: parallel, Reactor's threads, or nic, the NIC's own. Default:"
              + " parallel; with --flips and --reference nic, as perf does.")
  private @Nullable Signals signals;

  @Option(
      names = "--kill",
      paramLabel = "WHO",
      description =
          "Kill one of these within an update, start another one in its place, and update again:"
              + " ${COMPLETION-CANDIDATES}.")
  private @Nullable Role kill;

  @Option(
      names = "--reference",
      description =
          "Behind that, update until it is warm, and then in turn with what perf shows for writes"
              + " of 1 MiB, and with what prepares alone; ends with the ratios.")
  private boolean reference;

  @Option(
      names = "--warmup",
      paramLabel = "S",
      description =
          "For --reference: seconds at most for each process until the compilers have hardly"
              + " anything to do, 1 to 3,600. Default: 10.")
  private int warmupSeconds = 10;

  @Option(
      names = "--rounds",
      paramLabel = "N",
      description =
          "For --reference: how often a second of each is measured in turn, 1 to 1,000. Default:"
              + " 7.")
  private int rounds = 7;

  @Option(
      names = "--flips",
      paramLabel = "N",
      description =
          "Only N updates of next to no bytes, 10 to 1,000,000: how long from the last byte to the"
              + " last flip, next to a message there and back.")
  private @Nullable Integer flips;

  @Option(
      names = "--trouble",
      paramLabel = "N",
      description =
          "Only N updates, 1 to 100,000, of which most lose a process, killed or stopped, at a"
              + " random moment; checks that nobody reads a mixture, that no rank is stuck, and"
              + " that each end is right.")
  private @Nullable Integer trouble;

  @Option(
      names = "--timeline",
      paramLabel = "FILE",
      description = "Draw what waits for what in the last update to this file, as SVG.")
  private @Nullable Path timeline;

  @Option(
      names = "--deadline",
      paramLabel = "S",
      description =
          "Seconds until an update is given up, 1 to 3,600. Default: 60; with --trouble 20.")
  private @Nullable Integer deadlineSeconds;

  @Option(
      names = "--seed",
      paramLabel = "N",
      description = "Of the values, and of all that happens at random. Default: 1.")
  private long seed = 1;

  @Option(names = "--verbose", description = "Show stack traces.")
  private boolean verbose;

  @Option(
      names = "--round",
      hidden = true,
      description = "Milliseconds of each of both in a round, and of a round before those.")
  private int roundMillis = Round.USUAL_MILLIS;

  @Option(names = "--role", hidden = true, description = "What a child process is.")
  private @Nullable Role role;

  @Option(names = "--index", hidden = true, description = "Which one of its kind.")
  private int index;

  @Option(names = "--liveness", hidden = true, description = "Milliseconds of silence.")
  private @Nullable Integer livenessMillis;

  @Option(names = "--moments", hidden = true, description = "Remember what happens when.")
  private boolean moments;

  @Override
  public boolean isVerbose() {
    return verbose;
  }

  /** Runs it. */
  @Override
  public Integer call() throws Exception {
    Plan plan = plan();
    Provider.use(plan.provider());
    Role child = role;
    if (child != null) {
      return WorkerChild.run(plan.verbose(), events -> child.open(plan, index, events));
    }
    Backends.requireAvailable(plan.backend(), plan.nics());
    devices.requireAvailable();
    Progress progress = new Progress(spec.commandLine().getOut());
    try (Cluster cluster = start(plan, progress)) {
      progress.say(cluster.processes());
      if (flips != null) {
        return print(Flips.run(cluster, Math.max(LEAST_WARM_UPS, flips / 4), flips));
      }
      if (trouble != null) {
        return trouble(cluster, progress, trouble);
      }
      return updates(cluster, progress);
    }
  }

  private int updates(Cluster cluster, Progress progress) throws Exception {
    FigureTable table = new FigureTable();
    table.gap();
    ResultTable.head(table, cluster);
    Role victim = kill;
    Measured measured =
        victim == null
            ? Updates.run(cluster, progress, 1, updates)
            : KillRole.run(cluster, progress, victim, table);
    ResultTable.update(table, cluster, measured);
    ResultTable.verified(table, cluster, measured);
    if (timeline != null) {
      Timeline.write(timeline, cluster, measured.end());
    }
    print(table.text());
    return reference
        ? print(Comparison.run(cluster, warmupSeconds, rounds, Round.ofMillis(roundMillis)))
        : ExitCode.OK;
  }

  private int trouble(Cluster cluster, Progress progress, int count) throws Exception {
    List<String> faults = new ArrayList<>();
    print(new Trouble(cluster, progress, faults).run(count));
    String name = spec.qualifiedName();
    faults.forEach(fault -> spec.commandLine().getErr().println(name + ": " + fault));
    spec.commandLine().getErr().flush();
    return faults.isEmpty() ? ExitCode.OK : ExitCode.SOFTWARE;
  }

  /**
   * What does not fit each other is found when the table is made, before any process is started.
   */
  private Cluster start(Plan plan, Progress progress) throws Exception {
    try {
      return Cluster.start(plan, progress);
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()), e);
    }
  }

  private int print(String text) {
    spec.commandLine().getOut().print(text);
    spec.commandLine().getOut().flush();
    return ExitCode.OK;
  }

  private Plan plan() {
    try {
      TransferEngineBuilder.create().backend(backend);
      OptionValues.within("--updates", updates, 1, 10_000);
      OptionValues.within("--warmup", warmupSeconds, 1, 3_600);
      OptionValues.within("--rounds", rounds, 1, 1_000);
      timeline = timeline == null ? null : OptionValues.writable("--timeline", timeline);
      if (flips != null) {
        OptionValues.within("--flips", flips, 10, 1_000_000);
      }
      if (trouble != null) {
        OptionValues.within("--trouble", trouble, 1, 100_000);
        requireProcesses("--trouble");
      }
      if (kill != null) {
        requireProcesses("--kill");
      }
      requireOne();
      devices.requireConsistent();
      if (reference) {
        devices.requireHost("--reference");
      }
      if (file != null && size != null) {
        throw new IllegalArgumentException("expected either FILE or --size, got both");
      }
      return new Plan(
          backend,
          Provider.of(backend, provider),
          OptionValues.within("--nics", nics, 1, 8),
          devices.device(),
          size == null ? usualSize() : ByteCount.of(size).bytes(),
          file == null ? null : OptionValues.readable("FILE", file),
          from(),
          layout("--to", to, "--ranks", ranks, "tp=%d,dtype=fp8", 3),
          bytes("--watermark", watermark),
          OptionValues.within("--parallelism", parallelism, 1, 1_000),
          or(checksums, flips != null || reference ? Checks.NONE : Checks.SAMPLED),
          mode,
          Duration.ofSeconds(OptionValues.within("--deadline", deadline(), 1, 3_600)),
          Duration.ofMillis(
              or(livenessMillis, trouble == null ? LIVENESS_MILLIS : Trouble.LIVENESS_MILLIS)),
          or(signals, flips != null || reference ? Signals.NIC : Signals.PARALLEL),
          seed,
          moments || timeline != null,
          verbose);
    } catch (IllegalArgumentException | ArithmeticException | BackendUnavailableException e) {
      throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()), e);
    }
  }

  private int deadline() {
    return or(deadlineSeconds, trouble == null ? DEADLINE_SECONDS : TROUBLE_DEADLINE_SECONDS);
  }

  private long usualSize() {
    return flips != null ? FLIPS_SIZE : trouble != null ? TROUBLE_SIZE : SIZE;
  }

  private static <T> T or(@Nullable T given, T otherwise) {
    return given == null ? otherwise : given;
  }

  private void requireOne() {
    if (Stream.of(kill, flips, trouble).filter(Objects::nonNull).count() > 1
        || ((flips != null || trouble != null) && (reference || timeline != null))) {
      throw new IllegalArgumentException(
          "expected one of --kill, --flips and --trouble, and --reference and --timeline without"
              + " the last two, got several");
    }
  }

  private void requireProcesses(String option) {
    if (backend.equals("loopback")) {
      throw new IllegalArgumentException(
          "expected " + option + " with a backend between processes, got --backend loopback");
    }
  }

  private Layout from() {
    Layout layout = layout("--from", from, "--trainers", trainers, "fsdp=%d", 2);
    if (layout.type() != null && (file != null || layout.type().isQuantized())) {
      throw new IllegalArgumentException(
          file != null
              ? "expected --from without dtype, which is that of FILE, got " + layout
              : "expected --from with dtype= one of fp32, bf16, fp16, got " + layout);
    }
    return layout;
  }

  private static Layout layout(
      String option,
      @Nullable String text,
      String countOption,
      @Nullable Integer count,
      String otherwise,
      int most) {
    int ranks = count == null ? most : OptionValues.within(countOption, count, 1, 64);
    Layout layout =
        Layout.of(
            option, text == null ? otherwise.formatted(ranks).toLowerCase(Locale.ROOT) : text);
    if (count != null && layout.ranks() != count) {
      throw new IllegalArgumentException(
          "expected %s for %s %d: axes whose product is %d, got %s, whose product is %d"
              .formatted(option, countOption, count, count, layout, layout.ranks()));
    }
    return layout;
  }

  private static long bytes(String option, String text) {
    return OptionValues.within(option, ByteCount.of(text).bytes(), 0, 1L << 40);
  }
}
