package io.reactivetransfer.examples.kvcache;

import io.reactivetransfer.BackendUnavailableException;
import io.reactivetransfer.engine.TransferEngineBuilder;
import io.reactivetransfer.examples.report.Round;
import io.reactivetransfer.examples.worker.WorkerChild;
import io.reactivetransfer.tools.Backends;
import io.reactivetransfer.tools.ByteCount;
import io.reactivetransfer.tools.DeviceOptions;
import io.reactivetransfer.tools.OptionValues;
import io.reactivetransfer.tools.Provider;
import io.reactivetransfer.tools.Verbosity;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

/** The options of the example, and their bounds. */
@Command(
    name = "kv-cache",
    description = "Hands a paged KV cache from a prefill process over to a decode process.",
    sortOptions = false,
    footer = {
      "",
      "Starts both processes, which talk over loopback. Ends with a table; \"verified\" means that"
          + " the target has compared a checksum of each page.",
      "Exit code 0: verified. 1: something failed, and stderr says what. 2: a wrong value."
    })
public final class KvCacheCommand implements Callable<Integer>, Verbosity {

  /** What a machine with other things to do may take longer, in trouble. */
  private static final Duration SLACK = Duration.ofSeconds(1);

  /** Of a hand-over of which many run at once. */
  private static final int SCALE_LAYERS = 16;

  private static final int SCALE_PAGES = 64;

  private static final int TROUBLE_LAYERS = 8;
  private static final int TROUBLE_PAGES = 8;
  private static final int TROUBLE_INTERVAL_MILLIS = 3;
  private static final int TROUBLE_DEADLINE_SECONDS = 5;
  private static final int DEADLINE_SECONDS = 60;

  @Spec
  @SuppressWarnings("NullAway.Init") // picocli sets it
  private CommandSpec spec;

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

  @Mixin private DeviceOptions devices = new DeviceOptions();

  @Option(
      names = "--layers",
      paramLabel = "N",
      description = "Layers of the model, 1 to 1,024. Default: 61, or what a file needs.")
  private @Nullable Integer layers;

  @Option(
      names = "--pages",
      paramLabel = "N",
      description = "Pages of each layer, 1 to 15,000. Default: 256, or what a file needs.")
  private @Nullable Integer pages;

  @Option(
      names = "--page-size",
      paramLabel = "BYTES",
      converter = ByteCountConverter.class,
      description = "Bytes of a page, such as 4096 or 1MiB. Default: 32KiB.")
  private ByteCount pageSize = new ByteCount(32 * 1024);

  @Option(
      names = "--rows",
      paramLabel = "N",
      description =
          "Rows of a page at prefill, 1 to 4,096: decode has one of two heads of each of so many"
              + " tokens. Default: 1, whole pages.")
  private int rows = 1;

  @Option(
      names = "--nics",
      paramLabel = "N",
      description = "NICs of each side, 1 to 8. Default: 1.")
  private int nics = 1;

  @Option(
      names = "--file",
      paramLabel = "PATH",
      description = "Hand over this file's bytes. Default: random ones.")
  private @Nullable Path file;

  @Option(
      names = "--out",
      paramLabel = "PATH",
      description = "Have the target write what arrived to this file.")
  private @Nullable Path out;

  @Option(
      names = "--layer-interval",
      paramLabel = "MS",
      description = "Milliseconds that a layer takes to compute, 0 to 60,000. Default: 0.")
  private int layerIntervalMillis;

  @Option(
      names = "--deadline",
      paramLabel = "S",
      description =
          "Seconds until either side gives up, 1 to 86,400. Default: 60; with --trouble 5.")
  private @Nullable Integer deadlineSeconds;

  @Option(
      names = "--seed",
      paramLabel = "N",
      description = "Of the random bytes and of the order of the pages. Default: 1.")
  private long seed = 1;

  @Option(
      names = "--reference",
      description =
          "Behind that, hand over until it is warm, and then in turn with what perf --op paged does"
              + " with pages of that size; ends with the ratio.")
  private boolean reference;

  @Option(
      names = "--warmup",
      paramLabel = "S",
      description =
          "For --reference and --scale: seconds at most for each process, which share the"
              + " processors, until the compilers have hardly anything to do, 1 to 3,600."
              + " Default: 20.")
  private int warmupSeconds = 20;

  @Option(
      names = "--rounds",
      paramLabel = "N",
      description =
          "For --reference and --scale: how often a second of each is measured in turn, 1 to 1,000."
              + " Default: 7.")
  private int rounds = 7;

  @Option(
      names = "--at-least",
      paramLabel = "RATIO",
      description =
          "For --reference: end with exit code 1 if the ratio is less than that, such as 0.5 for"
              + " pages of rows: at most twice the time of whole pages.")
  private @Nullable Double atLeast;

  @Option(
      names = "--scale",
      paramLabel = "N",
      description =
          "Only measure, warm: one decode process that N prefill processes feed, and one prefill"
              + " process that feeds N decode processes, 2 to 64.")
  private @Nullable Integer scale;

  @Option(
      names = "--trouble",
      paramLabel = "N",
      description =
          "Only N hand-overs, 1 to 100,000, of which most are cancelled, fail, or lose their"
              + " prefill process, killed or stopped, at a random moment; checks that nothing is"
              + " lost, written late or left without an answer.")
  private @Nullable Integer trouble;

  @Option(
      names = "--warm-ups",
      paramLabel = "N",
      description =
          "Hand-overs before the one that is measured and compared. Default: 0; with --timeline"
              + " 40.")
  private @Nullable Integer warmUps;

  @Option(
      names = "--timeline",
      paramLabel = "FILE",
      description = "Draw what waits for what to this file, as SVG.")
  private @Nullable Path timeline;

  @Option(names = "--verbose", description = "Show stack traces.")
  private boolean verbose;

  @Option(
      names = "--round",
      hidden = true,
      description = "Milliseconds of each of both in a round, and of a round before those.")
  private int roundMillis = Round.USUAL_MILLIS;

  @Option(names = "--role", hidden = true, description = "Which side a child process is.")
  private @Nullable Role role;

  @Option(names = "--moments", hidden = true, description = "Say when what happens.")
  private boolean moments;

  @Option(names = "--hand-overs", hidden = true, description = "How many a child has memory for.")
  private int handOvers = 1;

  @Override
  public boolean isVerbose() {
    return verbose;
  }

  /** Runs it. */
  @Override
  public Integer call() throws Exception {
    Plan plan = plan();
    Provider.use(plan.provider());
    if (role != null) {
      return run(role, plan);
    }
    Backends.requireAvailable(plan.backend(), plan.nics());
    devices.requireAvailable();
    if (scale != null) {
      print("warming up %d processes; this takes minutes%n".formatted(2 * (scale + 2)));
      return print(Scaling.run(plan, scale, warmupSeconds, rounds, Round.ofMillis(roundMillis)));
    }
    if (trouble != null) {
      return trouble(plan, trouble);
    }
    Progress progress = new Progress(spec.commandLine().getOut(), plan);
    Outcome outcome =
        plan.backend().equals("loopback")
            ? OneProcess.run(plan, progress)
            : TwoProcesses.run(plan, progress);
    int code = outcome.print(plan, spec.commandLine());
    if (timeline != null && code == ExitCode.OK) {
      Timeline.write(timeline, plan, progress.moments());
    }
    return reference && code == ExitCode.OK ? compare(plan) : code;
  }

  private int compare(Plan plan) throws Exception {
    Comparison.Result result =
        Comparison.run(plan, warmupSeconds, rounds, Round.ofMillis(roundMillis));
    print(result.table());
    String tooLittle = atLeast == null ? null : result.shortOf(atLeast);
    if (tooLittle == null) {
      return ExitCode.OK;
    }
    spec.commandLine().getErr().println(spec.qualifiedName() + ": " + tooLittle);
    spec.commandLine().getErr().flush();
    return ExitCode.SOFTWARE;
  }

  private int run(Role child, Plan plan) throws InterruptedException {
    return switch (child) {
      case PREFILL, DECODE -> ChildProcess.run(child, plan);
      case SERVE, LOAD, COMPUTE ->
          WorkerChild.run(plan.verbose(), events -> child.open(plan, handOvers));
    };
  }

  private int trouble(Plan plan, int count) throws Exception {
    List<String> faults = new ArrayList<>();
    print(Trouble.run(plan, count, SLACK, faults));
    String name = spec.qualifiedName();
    faults.forEach(fault -> spec.commandLine().getErr().println(name + ": " + fault));
    spec.commandLine().getErr().flush();
    return faults.isEmpty() ? ExitCode.OK : ExitCode.SOFTWARE;
  }

  private int print(String table) {
    spec.commandLine().getOut().print(table);
    spec.commandLine().getOut().flush();
    return ExitCode.OK;
  }

  private void requireProcesses(String option) {
    if (backend.equals("loopback")) {
      throw new IllegalArgumentException(
          "expected " + option + " with a backend between processes, got --backend loopback");
    }
  }

  private int deadline() {
    return or(deadlineSeconds, trouble == null ? DEADLINE_SECONDS : TROUBLE_DEADLINE_SECONDS);
  }

  private static int or(@Nullable Integer given, int otherwise) {
    return given == null ? otherwise : given;
  }

  private Plan plan() {
    try {
      Path from = file == null ? null : OptionValues.readable("--file", file);
      Shape shape =
          from == null
              ? Shape.of(layers, pages, pageSize.bytes()).inRows(rows)
              : Shape.forFile(Files.size(from), layers, pages, pageSize.bytes()).inRows(rows);
      if (scale != null) {
        OptionValues.within("--scale", scale, 2, 64);
        requireProcesses("--scale");
        devices.requireHost("--scale");
        shape = Shape.of(or(layers, SCALE_LAYERS), or(pages, SCALE_PAGES), pageSize.bytes());
        NativeMemory.requireEnough(shape, scale);
      }
      if (trouble != null) {
        OptionValues.within("--trouble", trouble, 1, 100_000);
        requireProcesses("--trouble");
        devices.requireHost("--trouble");
        shape = Shape.of(or(layers, TROUBLE_LAYERS), or(pages, TROUBLE_PAGES), pageSize.bytes());
        layerIntervalMillis = Math.max(TROUBLE_INTERVAL_MILLIS, layerIntervalMillis);
      }
      if (reference) {
        devices.requireHost("--reference");
      }
      devices.requireConsistent();
      NativeMemory.requireEnough(shape, 1);
      TransferEngineBuilder.create().backend(backend);
      if (atLeast != null && (!reference || !(atLeast > 0))) {
        throw new IllegalArgumentException(
            "expected --at-least above 0 and with --reference, got "
                + atLeast
                + (reference ? "" : " without it"));
      }
      OptionValues.within("--warmup", warmupSeconds, 1, 3_600);
      OptionValues.within("--rounds", rounds, 1, 1_000);
      timeline = timeline == null ? null : OptionValues.writable("--timeline", timeline);
      return new Plan(
          backend,
          Provider.of(backend, provider),
          OptionValues.within("--nics", nics, 1, 8),
          devices.device(),
          shape,
          from,
          out == null ? null : OptionValues.writable("--out", out),
          Duration.ofSeconds(OptionValues.within("--deadline", deadline(), 1, 86_400)),
          Duration.ofMillis(
              OptionValues.within("--layer-interval", layerIntervalMillis, 0, 60_000)),
          seed,
          OptionValues.within("--warm-ups", or(warmUps, timeline == null ? 0 : 40), 0, 1_000_000),
          moments || timeline != null,
          verbose);
    } catch (IllegalArgumentException | BackendUnavailableException | IOException e) {
      throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()), e);
    }
  }

  static final class ByteCountConverter implements ITypeConverter<ByteCount> {
    @Override
    public ByteCount convert(String text) {
      try {
        return ByteCount.of(text);
      } catch (IllegalArgumentException | ArithmeticException e) {
        throw new TypeConversionException(e.getMessage());
      }
    }
  }
}
