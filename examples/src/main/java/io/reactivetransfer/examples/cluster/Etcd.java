package io.reactivetransfer.examples.cluster;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import io.etcd.jetcd.KV;
import io.etcd.jetcd.options.CompactOption;
import io.reactivetransfer.examples.worker.Asked;
import io.reactivetransfer.tools.process.FreePorts;
import io.reactivetransfer.tools.process.OnExit;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.net.URLConnection;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** An etcd that listens on this machine only, with its data in a temporary folder. */
final class Etcd implements AutoCloseable {

  private static final int OK = 200;
  private static final long PAUSE_MILLIS = 20;
  private static final int LOG_LINES = 5;

  private final String program;
  private final Path folder;
  private final String endpoint;
  private final String peers;
  private volatile @Nullable Process process;

  private Etcd(String program, Path folder, String endpoint, String peers) {
    this.program = program;
    this.folder = folder;
    this.endpoint = endpoint;
    this.peers = peers;
  }

  /** Whether the program is on the PATH. */
  static boolean isInstalled() {
    return Stream.of(String.valueOf(System.getenv("PATH")).split(File.pathSeparator))
        .anyMatch(path -> Files.isExecutable(Path.of(path, "etcd")));
  }

  /** One without data. */
  static Etcd open() throws IOException, InterruptedException {
    if (!isInstalled()) {
      throw new IOException(
          "expected the program etcd on the PATH, found none; apt-get install etcd-server");
    }
    return open("etcd");
  }

  /** The same of a program that is there. */
  static Etcd open(String program) throws IOException, InterruptedException {
    int port = FreePorts.two(); // it listens there again when it was killed
    Etcd etcd =
        new Etcd(program, Files.createTempDirectory("etcd"), address(port), address(port + 1));
    try (var _ = OnExit.run(etcd::closeAtExit)) {
      etcd.start();
      return etcd;
    } catch (Throwable failure) {
      Asked.closeAfter(failure, etcd);
      throw failure;
    }
  }

  private static String address(int port) {
    return "http://127.0.0.1:" + port;
  }

  String endpoint() {
    return endpoint;
  }

  /**
   * With the data that it has; returns when it answers.
   *
   * @throws IOException if it does not, with what it has logged last
   */
  void start() throws IOException, InterruptedException {
    Process started =
        new ProcessBuilder(
                List.of(
                    program,
                    "--data-dir=" + folder.resolve("data"),
                    "--listen-client-urls=" + endpoint,
                    "--advertise-client-urls=" + endpoint,
                    "--listen-peer-urls=" + peers,
                    "--initial-advertise-peer-urls=" + peers,
                    "--initial-cluster=default=" + peers,
                    "--logger=zap",
                    "--log-level=error"))
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(folder.resolve("log").toFile()))
            .start();
    process = started;
    long end = System.nanoTime() + ClusterNode.PATIENCE.toNanos();
    while (!isHealthy()) {
      if (!started.isAlive()) {
        throw new IOException(
            "etcd ended with exit code " + started.exitValue() + ", and said: " + lastOfLog());
      }
      if (System.nanoTime() - end > 0) {
        throw new IOException("etcd does not answer, and said: " + lastOfLog());
      }
      TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
    }
  }

  private boolean isHealthy() {
    try {
      URLConnection connection = URI.create(endpoint + "/health").toURL().openConnection();
      int millis = (int) ClusterNode.LEASE.toMillis();
      connection.setConnectTimeout(millis);
      connection.setReadTimeout(millis);
      return ((HttpURLConnection) connection).getResponseCode() == OK;
    } catch (IOException e) {
      return false; // not yet
    }
  }

  private String lastOfLog() throws IOException {
    List<String> lines = Files.readAllLines(folder.resolve("log"));
    List<String> last = lines.subList(Math.max(0, lines.size() - LOG_LINES), lines.size());
    return last.isEmpty() ? "nothing" : String.join("; ", last);
  }

  /** The number of its last change. */
  long revision() throws IOException, InterruptedException {
    try (Client client = Client.builder().endpoints(endpoint).build()) {
      return revision(client.getKVClient());
    }
  }

  /** Drops its history, up to the last change, whose number this returns. */
  long compact() throws IOException, InterruptedException {
    CompactOption physical = CompactOption.builder().withCompactPhysical(true).build();
    try (Client client = Client.builder().endpoints(endpoint).build()) {
      long last = revision(client.getKVClient());
      answer(client.getKVClient().compact(last, physical));
      return last;
    }
  }

  private static long revision(KV client) throws IOException, InterruptedException {
    ByteSequence any = ByteSequence.from("any", US_ASCII); // each answer has the number
    return answer(client.get(any)).getHeader().getRevision();
  }

  private static <T> T answer(CompletableFuture<T> call) throws IOException, InterruptedException {
    try {
      return call.get(ClusterNode.PATIENCE.toSeconds(), TimeUnit.SECONDS);
    } catch (ExecutionException | TimeoutException e) {
      throw new IOException(
          "expected an answer of etcd within " + ClusterNode.PATIENCE.toSeconds() + " s, got " + e,
          e);
    }
  }

  /** As a machine that fails would end it. */
  void kill() throws InterruptedException {
    Process running = process;
    if (running != null) {
      running.destroyForcibly().waitFor();
    }
  }

  /** When this process ends, by a signal too: its data is large. */
  void closeAtExit() {
    try {
      close();
    } catch (IOException | UncheckedIOException e) {
      // somebody else is at it; what is left lies among temporary files
    }
  }

  @Override
  public void close() throws IOException {
    Process running = process;
    if (running != null) {
      running.destroyForcibly().onExit().join();
    }
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path each : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(each);
      }
    }
  }
}
