package io.reactivetransfer.tools.perf;

import io.reactivetransfer.tools.process.FreePorts;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Runs iperf3 over the loopback address, for a second: what others compare themselves with. */
final class Iperf3 {

  /** It takes no longer blocks. */
  private static final long MAX_BLOCK = 1 << 20;

  private static final int ATTEMPTS = 20;
  private static final long ATTEMPT_MILLIS = 50;
  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final Pattern RECEIVED =
      Pattern.compile("\"sum_received\":\\s*\\{[^}]*\"bits_per_second\":\\s*([0-9.eE+]+)");

  private final Path program;

  private Iperf3(Path program) {
    this.program = program;
  }

  /** Null if it is not installed. */
  static @Nullable Iperf3 find() {
    return find(OnPath.path());
  }

  static @Nullable Iperf3 find(String path) {
    Path program = OnPath.find(path, List.of("iperf3"));
    return program == null ? null : new Iperf3(program);
  }

  /** Writes blocks of this size, or of the largest that it takes. */
  double bytesPerSecond(long size) throws SideFailedException, InterruptedException {
    try {
      String port = String.valueOf(FreePorts.two());
      Process server = start("-s", "-1", "-B", "127.0.0.1", "-p", port);
      try {
        return client(port, Math.min(size, MAX_BLOCK));
      } finally {
        server.destroyForcibly();
      }
    } catch (IOException e) {
      throw new SideFailedException("iperf3: " + e.getMessage(), e);
    }
  }

  /** The server takes some time to listen. */
  private double client(String port, long block) throws IOException, InterruptedException {
    String said = "";
    for (int i = 0; i < ATTEMPTS; i++) {
      Thread.sleep(ATTEMPT_MILLIS);
      Process client = start("-c", "127.0.0.1", "-p", port, "-t", "1", "-l", "" + block, "-J");
      said = Output.of(client, PATIENCE);
      Matcher received = RECEIVED.matcher(said);
      if (received.find()) {
        return Double.parseDouble(received.group(1)) / Byte.SIZE;
      }
    }
    throw new IOException("no figure in what it said: " + said);
  }

  private Process start(String... arguments) throws IOException {
    ProcessBuilder builder = new ProcessBuilder(program.toString());
    builder.command().addAll(List.of(arguments));
    boolean server = arguments[0].equals("-s");
    return builder
        .redirectErrorStream(true)
        .redirectOutput(server ? ProcessBuilder.Redirect.DISCARD : ProcessBuilder.Redirect.PIPE)
        .start();
  }
}
