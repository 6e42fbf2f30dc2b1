package io.reactivetransfer.tools.perf;

import io.reactivetransfer.spi.Backend;
import io.reactivetransfer.tools.process.FreePorts;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The reference of ibverbs: {@code ib_write_bw} of <a
 * href="https://github.com/linux-rdma/perftest">perftest</a>, both sides on the port that ours use.
 * Each run is two processes of it; it measures whole seconds, without its set-up.
 */
final class IbWriteBw implements ReferenceRuns {

  private static final long SECOND_NANOS = 1_000_000_000;

  /** From here on it says bytes with more digits than operations. */
  private static final long LARGE = 4096;

  private static final long ATTEMPT_MILLIS = 100;
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  /** Size, operations, and three figures: peak and average MiB/s, and millions of operations/s. */
  private static final Pattern ROW =
      Pattern.compile("(?m)^ *(\\d+) +(\\d+) +([0-9.]+) +([0-9.]+)\\s+([0-9.]+) *$");

  private final Path program;
  private final List<String> port;
  private final int outstanding;
  private long size = 1;

  private IbWriteBw(Path program, List<String> port, int outstanding) {
    this.program = program;
    this.port = port;
    this.outstanding = outstanding;
  }

  /** The one that is installed, for the port that ours take. */
  static IbWriteBw find(Plan plan) throws IOException {
    return find(OnPath.path(), nic(plan.backend()), plan.outstanding());
  }

  static IbWriteBw find(String path, String nic, int outstanding) throws IOException {
    Path program = OnPath.find(path, List.of("ib_write_bw"));
    if (program == null) {
      throw new IOException(
          "expected ib_write_bw for the reference, got none on the PATH; install it, for example:"
              + " apt-get install perftest");
    }
    return new IbWriteBw(program, port(nic), outstanding);
  }

  private static String nic(String backend) {
    for (Backend each : ServiceLoader.load(Backend.class)) {
      if (each.name().equals(backend)) {
        return each.nics(1).getFirst().name();
      }
    }
    throw new IllegalStateException("no backend " + backend);
  }

  /** As it is told of a port, such as that of {@code mlx5_0/2}. */
  private static List<String> port(String nic) {
    String[] parts = nic.split("/", 2);
    List<String> arguments = new ArrayList<>(List.of("-d", parts[0]));
    if (parts.length > 1) {
      arguments.addAll(List.of("-i", parts[1]));
    }
    String gid = System.getProperty("reactivetransfer.ibverbs.gidIndex");
    if (gid != null) {
      arguments.addAll(List.of("-x", gid));
    }
    return arguments;
  }

  /** Of how many writes it asks for one completion: as ours, or so often that its queue is full. */
  static int signalEvery(int outstanding) {
    return Math.clamp(outstanding / 4, 1, 16);
  }

  @Override
  public void prepare(Layout layout) {
    size = layout.size();
  }

  @Override
  public RunFigures run(long nanos) throws SideFailedException, InterruptedException {
    long seconds = Math.max(1, Math.round((double) nanos / SECOND_NANOS));
    try {
      List<String> command = command(FreePorts.two(), seconds);
      Process server =
          new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectOutput(Redirect.DISCARD)
              .start();
      try {
        command.add("127.0.0.1");
        return figures(client(command, seconds), seconds * SECOND_NANOS);
      } finally {
        server.destroyForcibly().waitFor();
      }
    } catch (IOException e) {
      throw new SideFailedException("ib_write_bw: " + e.getMessage(), e);
    }
  }

  private List<String> command(int port, long seconds) {
    List<String> command = new ArrayList<>(List.of(program.toString()));
    command.addAll(this.port);
    command.addAll(List.of("-p", "" + port, "-s", "" + size, "-t", "" + outstanding));
    // -F: the frequency of the processor may change, which its figures do not hang on
    command.addAll(List.of("-Q", "" + signalEvery(outstanding), "-D", "" + seconds, "-F"));
    return command;
  }

  /** The server takes some time to listen. Returns what the client said in the end. */
  private static String client(List<String> command, long seconds)
      throws IOException, InterruptedException {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    String said;
    do {
      Thread.sleep(ATTEMPT_MILLIS);
      Process client = new ProcessBuilder(command).redirectErrorStream(true).start();
      said = Output.of(client, PATIENCE.plusSeconds(seconds));
    } while (said.contains("Couldn't connect") && System.nanoTime() - deadline < 0);
    return said;
  }

  private RunFigures figures(String said, long nanos) throws IOException {
    Matcher row = ROW.matcher(said);
    if (!row.find()) {
      throw new IOException("expected a row of figures, got: " + said.strip());
    }
    double perSecond =
        size < LARGE
            ? Double.parseDouble(row.group(5)) * 1e6
            : Double.parseDouble(row.group(4)) * (1 << 20) / size;
    return new RunFigures(Math.round(perSecond * nanos / 1e9), nanos, 0, 0, 0, Usage.NONE, 0);
  }

  @Override
  public void close() {
    // each run ends its processes
  }
}
