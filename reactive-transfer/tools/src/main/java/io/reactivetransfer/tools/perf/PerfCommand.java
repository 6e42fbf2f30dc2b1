package io.reactivetransfer.tools.perf;

import io.reactivetransfer.BackendUnavailableException;
import io.reactivetransfer.Device;
import io.reactivetransfer.engine.TransferEngineBuilder;
import io.reactivetransfer.tools.Backends;
import io.reactivetransfer.tools.ByteCount;
import io.reactivetransfer.tools.DeviceOptions;
import io.reactivetransfer.tools.OptionValues;
import io.reactivetransfer.tools.Provider;
import io.reactivetransfer.tools.Verbosity;
import io.reactivetransfer.tools.process.HostPort;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The options of the benchmark, and their bounds. */
@Command(
    name = "perf",
    description = "Measures how fast a backend moves bytes, next to a plain reference.",
    sortOptions = false,
    footer = {
      "",
      "Starts two processes on this machine, which talk over loopback, and ends with a table. Or"
          + " measures between two hosts: --listen on the one, then --connect on the other, with"
          + " all other options; for networks that you trust.",
      "Exit code 0: measured. 1: something failed, and stderr says what. 2: a wrong value."
    })
public final class PerfCommand implements Callable<Integer>, Verbosity {

  /** Which side a child process is. */
  enum Side {
    ORIGIN,
    TARGET;

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  private static final long MAX_SIZE = 1L << 30;
  private static final long MAX_OPERATION = 1L << 30;
  private static final int MAX_PEERS = 1 << 10;
  private static final long MAX_MESSAGE = 1 << 16;

  /** Bytes of messages to a peer that an engine has waiting; it refuses what is more. */
  private static final long MAX_WAITING = 64L << 20;

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

  @Option(
      names = "--op",
      paramLabel = "OP",
      description = "One of ${COMPLETION-CANDIDATES}. Default: write-imm.")
  private Op op = Op.WRITE_IMM;

  @Option(
      names = "--size",
      paramLabel = "BYTES",
      split = ",",
      description =
          "Bytes of a write, a page, a part or a message, such as 64,4K,1M; 1 to 1G, messages up to"
              + " 64K. Default: 4K,64K,1M; messages 64,4K; ping-pong 8; message-ping-pong 64;"
              + " fan-out 256.")
  private @Nullable List<String> sizes;

  @Option(
      names = "--pages",
      paramLabel = "N",
      description = "Pages or parts of an operation, 1 to 65,536. Default: 256.")
  private int pages = 256;

  @Option(
      names = "--peers",
      paramLabel = "N",
      description =
          "Engines that are written to, all in one process, 1 to 1,024; more than 1 is --op"
              + " fan-out.")
  private int peers = 1;

  @Option(
      names = "--outstanding",
      paramLabel = "N",
      description =
          "Operations in flight, 1 to 65,536; messages of no more than 64M altogether. Default:"
              + " 64.")
  private int outstanding = 64;

  @Option(
      names = "--memory",
      paramLabel = "BYTES",
      description =
          "Memory of each side that operations go over one after the other, such as 488M, in at"
              + " most 65,536 of them; up to 4G, and only with operations that write without"
              + " waiting for each other. Less than those in flight need is shared by them, down to"
              + " that of one. Default: what those in flight need, 64M at most, which caches may"
              + " hold.")
  private @Nullable String memory;

  @Option(
      names = "--nics",
      paramLabel = "N",
      description = "NICs of each side, 1 to 8. Default: 1.")
  private int nics = 1;

  @Mixin private DeviceOptions devices = new DeviceOptions();

  @Option(
      names = "--seconds",
      paramLabel = "S",
      description = "Seconds to measure each size, 0.01 to 86,400. Default: 3.")
  private double seconds = 3;

  @Option(
      names = "--warmup",
      paramLabel = "S",
      description =
          "Seconds to run each size before that, 0 to 3,600. Default: 1, and on until the compilers"
              + " of both sides have hardly anything to do, 30 at most.")
  private @Nullable Double warmup;

  @Option(
      names = "--rounds",
      paramLabel = "N",
      description = "Parts that the seconds are cut into; medians of them. 1 to 100. Default: 3.")
  private int rounds = 3;

  @Option(
      names = "--signals",
      paramLabel = "WHERE",
      description =
          "Where the engines signal: nic, the NIC's own thread, which is how the reference does it;"
              + " or parallel, a thread of Reactor's, which is an engine's default. Default: nic.")
  private Signals signals = Signals.NIC;

  @Option(names = "--in-process", description = "Both sides in this JVM.")
  private boolean inProcess;

  @Option(names = "--verify", description = "Compare what arrived, by checksum.")
  private boolean verify;

  @Option(
      names = "--reference",
      description =
          "Measure the reference in turn: for tcp a blocking socket, and iperf3 if it is installed;"
              + " for loopback a memcpy; for libfabric a program in C, which needs gcc,"
              + " libfabric-dev and --provider; for ibverbs ib_write_bw of perftest. With --device"
              + " of a GPU: the same backend, engines and operations with memory of the host.")
  private boolean reference;

  @Option(names = "--json", paramLabel = "FILE", description = "Write the figures to this file.")
  private @Nullable Path json;

  @Option(names = "--svg", paramLabel = "FILE", description = "Draw them to this file.")
  private @Nullable Path svg;

  @Option(names = "--verbose", description = "Show stack traces.")
  private boolean verbose;

  @Option(
      names = "--listen",
      paramLabel = "HOST:PORT",
      description =
          "Wait there, at an address of this machine, for another host; be the target of what it"
              + " measures.")
  private @Nullable String listen;

  @Option(
      names = "--connect",
      paramLabel = "HOST:PORT",
      description = "Measure from here to the host that listens there.")
  private @Nullable String connect;

  @Option(names = "--host", hidden = true, description = "What a child process listens on.")
  private @Nullable String host;

  @Option(names = "--side", hidden = true, description = "Which side a child process is.")
  private @Nullable Side side;

  private boolean betweenHosts;

  @Override
  public boolean isVerbose() {
    return verbose;
  }

  /** Runs it. */
  @Override
  public Integer call() throws Exception {
    if (listen != null) {
      return listen(hostPort("--listen", listen));
    }
    Plan plan = plan();
    Provider.use(plan.provider());
    if (side != null) {
      return ChildProcess.run(side, plan);
    }
    Backends.requireAvailable(plan.backend(), plan.nics());
    requireDeviceAvailable();
    Progress progress = new Progress(spec.commandLine().getOut(), plan);
    List<Result> results;
    try {
      results = measure(plan, progress);
    } finally {
      progress.clear();
    }
    spec.commandLine().getOut().print(Report.of(plan, results));
    spec.commandLine().getOut().flush();
    if (json != null) {
      JsonFile.write(json, results);
    }
    if (svg != null) {
      SvgChart.write(svg, plan, results);
    }
    return ExitCode.OK;
  }

  private void requireDeviceAvailable() {
    try {
      devices.requireAvailable();
    } catch (BackendUnavailableException e) {
      throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()), e);
    }
  }

  private List<Result> measure(Plan plan, Progress progress) throws Exception {
    if (connect == null) {
      return plan.inProcess() ? OneProcess.run(plan, progress) : TwoProcesses.run(plan, progress);
    }
    try (HostSide other = HostSide.connect(hostPort("--connect", connect))) {
      return other.measure(plan, progress);
    }
  }

  private int listen(HostPort at) throws IOException, SideFailedException, InterruptedException {
    if (connect != null) {
      throw new ParameterException(
          spec.commandLine(), "expected either --listen or --connect, got both");
    }
    PrintWriter out = spec.commandLine().getOut();
    Listening.serve(
        at,
        Map.of(),
        line -> {
          out.println("perf: " + line);
          out.flush();
        });
    return ExitCode.OK;
  }

  private HostPort hostPort(String option, String text) {
    try {
      return HostPort.of(option, text);
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()), e);
    }
  }

  /**
   * The plan that another host asks for.
   *
   * @throws ParameterException if a value is out of its bounds
   */
  static Plan planOf(List<String> arguments) {
    PerfCommand command = new PerfCommand();
    new CommandLine(command)
        .setExpandAtFiles(false)
        .setCaseInsensitiveEnumValuesAllowed(true)
        .parseArgs(arguments.toArray(String[]::new));
    command.betweenHosts = true;
    return command.plan();
  }

  private Plan.Place place() {
    if (betweenHosts || connect != null) {
      if (inProcess || backend.equals("loopback")) {
        throw new IllegalArgumentException(
            "expected two processes and a backend between hosts, got "
                + (inProcess ? "--in-process" : "--backend " + backend));
      }
      return Plan.Place.TWO_HOSTS;
    }
    return inProcess || backend.equals("loopback")
        ? Plan.Place.ONE_PROCESS
        : Plan.Place.TWO_PROCESSES;
  }

  private Plan plan() {
    try {
      TransferEngineBuilder.create().backend(backend);
      requireDevice();
      if (verify && op == Op.MESSAGE_PING_PONG) {
        throw new IllegalArgumentException(
            "expected --verify with --op send, or one that writes, got --op " + op);
      }
      OptionValues.within("--pages", pages, 1, 1 << 16);
      if (peers > 1) {
        useFanOut();
      }
      Plan plan =
          new Plan(
              backend,
              Provider.of(backend, provider),
              place(),
              host,
              op,
              sizes(),
              pages,
              op == Op.FAN_OUT ? OptionValues.within("--peers", peers, 1, MAX_PEERS) : 1,
              op.isOneByOne() ? 1 : OptionValues.within("--outstanding", outstanding, 1, 1 << 16),
              memory(),
              OptionValues.within("--nics", nics, 1, 8),
              devices.device(),
              within("--seconds", seconds, 0.01, 86_400),
              within("--warmup", warmup == null ? 1 : warmup, 0.0, 3_600),
              warmup == null,
              OptionValues.within("--rounds", rounds, 1, 100),
              verify,
              reference,
              signals,
              verbose);
      if (reference) {
        Reference.require(plan);
      }
      requireRoom(plan);
      json = json == null ? null : OptionValues.writable("--json", json);
      svg = svg == null ? null : OptionValues.writable("--svg", svg);
      return plan;
    } catch (IllegalArgumentException | BackendUnavailableException e) {
      throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()), e);
    }
  }

  private void useFanOut() {
    if ((op != Op.WRITE_IMM && op != Op.FAN_OUT) || verify) {
      throw new IllegalArgumentException(
          "expected --peers with --op fan-out and without --verify, got --op "
              + op
              + (verify ? " --verify" : ""));
    }
    op = Op.FAN_OUT;
  }

  private void requireDevice() {
    devices.requireConsistent();
    if (op.isOfMessages() && !devices.device().equals(Device.HOST)) {
      throw new IllegalArgumentException(
          "expected --device with an --op that writes, got --op "
              + op
              + " --device "
              + devices.device());
    }
  }

  private long memory() {
    String text = memory;
    if (text == null) {
      return 0;
    }
    if (op.isOneByOne() || op.isOfMessages()) {
      throw new IllegalArgumentException(
          "expected --memory with an --op that writes without waiting, got --op " + op);
    }
    return OptionValues.within("--memory", ByteCount.of(text).bytes(), 1, Layout.MAX_MEMORY);
  }

  private List<Long> sizes() {
    List<String> texts = sizes;
    if (texts == null) {
      texts =
          switch (op) {
            case SEND -> List.of("64", "4K");
            case PING_PONG -> List.of("8");
            case MESSAGE_PING_PONG -> List.of("64");
            case FAN_OUT -> List.of("256");
            default -> List.of("4K", "64K", "1M");
          };
    }
    long max = op.isOfMessages() ? MAX_MESSAGE : MAX_SIZE;
    List<Long> bytes = new ArrayList<>();
    for (String text : texts) {
      bytes.add(OptionValues.within("--size", ByteCount.of(text).bytes(), 1, max));
    }
    return bytes;
  }

  private static void requireRoom(Plan plan) {
    long operation = Layout.of(plan, plan.largest()).operationBytes();
    if (operation > MAX_OPERATION) {
      throw new IllegalArgumentException(
          "expected operations of up to "
              + new ByteCount(MAX_OPERATION)
              + ", got "
              + plan.parts()
              + " parts of "
              + new ByteCount(plan.largest()));
    }
    if (plan.op().isOfMessages() && plan.largest() * plan.outstanding() > MAX_WAITING) {
      throw new IllegalArgumentException(
          "expected --size and --outstanding of up to "
              + new ByteCount(MAX_WAITING)
              + " of messages in flight, got "
              + plan.outstanding()
              + " messages of "
              + new ByteCount(plan.largest()));
    }
  }

  private static double within(String option, double value, double min, double max) {
    if (!(value >= min && value <= max)) {
      throw new IllegalArgumentException(
          String.format("expected %s of %.3g to %.0f, got %s", option, min, max, value));
    }
    return value;
  }
}
