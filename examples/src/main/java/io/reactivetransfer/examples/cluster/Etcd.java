package io.reactivetransfer.examples.cluster;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import io.etcd.jetcd.KV;
import io.etcd.jetcd.options.CompactOption;
import io.reactivetransfer.tools.process.FreePorts;
import java.io.File;
import java.io.IOException;
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

  private final Path folder;
  private final String endpoint;
  private final String peers;
  private volatile @Nullable Process process;

  private Etcd(Path folder, String endpoint, String peers) {
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
  static Etcd open() throws IOException {
    if (!isInstalled()) {
      throw new IOException(
          "expected the program etcd on the PATH, found none; apt-get install etcd-server");
    }
    int port = FreePorts.two(); // it listens there again when it was killed
    Etcd etcd = new Etcd(Files.createTempDirectory("etcd"), address(port), address(port + 1));
    etcd.start();
    return etcd;
  }

  private static String address(int port) {
    return "http://127.0.0.1:" + port;
  }

  String endpoint() {
    return endpoint;
  }

  /** With the data that it has. */
  void start() throws IOException {
    process =
        new ProcessBuilder(
                List.of(
                    "etcd",
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

  /** Without waiting; for when this process ends. */
  void destroy() {
    Process running = process;
    if (running != null) {
      running.destroyForcibly();
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
