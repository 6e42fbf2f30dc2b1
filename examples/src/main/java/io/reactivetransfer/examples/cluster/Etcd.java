package io.reactivetransfer.examples.cluster;

import io.reactivetransfer.tools.process.FreePorts;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
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

  /** One without data. */
  static Etcd open() throws IOException {
    boolean isThere =
        Stream.of(String.valueOf(System.getenv("PATH")).split(File.pathSeparator))
            .anyMatch(path -> Files.isExecutable(Path.of(path, "etcd")));
    if (!isThere) {
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
