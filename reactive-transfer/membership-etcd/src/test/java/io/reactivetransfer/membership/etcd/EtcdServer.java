package io.reactivetransfer.membership.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.abort;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import io.etcd.jetcd.ClientBuilder;
import io.reactivetransfer.tck.process.FreePorts;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import reactor.core.publisher.Hooks;

/** An etcd of its own for each test, as a child process, and a client that looks into it. */
final class EtcdServer implements BeforeAllCallback, BeforeEachCallback, AfterEachCallback {

  static final Duration PATIENCE = Duration.ofSeconds(30);

  private final List<Throwable> dropped = new CopyOnWriteArrayList<>();
  private Path folder;
  private int port;
  private String endpoint;
  private String peers;
  private Process process;
  private Client client;

  @Override
  public void beforeAll(ExtensionContext context) {
    boolean isThere =
        Stream.of(System.getenv("PATH").split(File.pathSeparator))
            .anyMatch(path -> Files.isExecutable(Path.of(path, "etcd")));
    if (!isThere) {
      String why = "etcd is not available: no program of that name; apt-get install etcd-server";
      if (Boolean.getBoolean("reactivetransfer.requireAll")) {
        fail(why + "; skipping it is forbidden by -DrequireAll");
      }
      System.err.println(context.getRequiredTestClass().getSimpleName() + " is skipped: " + why);
      abort(why);
    }
  }

  @Override
  public void beforeEach(ExtensionContext context) throws Exception {
    dropped.clear();
    Hooks.onErrorDropped(dropped::add);
    folder = Files.createTempDirectory("etcd");
    port = FreePorts.inARow(2);
    endpoint = "http://127.0.0.1:" + port;
    peers = "http://127.0.0.1:" + (port + 1);
    start();
    client = builder().build();
    client.getKVClient().get(ByteSequence.from(new byte[] {'a'})).get();
  }

  /** Where it is. */
  ClientBuilder builder() {
    return Client.builder().endpoints(endpoint);
  }

  /** Of the endpoint. */
  int port() {
    return port;
  }

  /** A client that is not the one under test. */
  Client client() {
    return client;
  }

  /** With the data that it has. Elections are fast, so that leases of 1 s are possible. */
  void start() throws IOException {
    List<String> command =
        List.of(
            "etcd",
            "--data-dir=" + folder.resolve("data"),
            "--listen-client-urls=" + endpoint,
            "--advertise-client-urls=" + endpoint,
            "--listen-peer-urls=" + peers,
            "--initial-advertise-peer-urls=" + peers,
            "--initial-cluster=default=" + peers,
            "--heartbeat-interval=10",
            "--election-timeout=100",
            "--logger=zap",
            "--log-level=error");
    process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(folder.resolve("log").toFile()))
            .start();
    Runtime.getRuntime().addShutdownHook(new Thread(process::destroyForcibly));
  }

  /** SIGKILL; returns when it is gone. */
  void kill() throws InterruptedException {
    process.destroyForcibly().waitFor();
  }

  /** SIGSTOP or SIGCONT. */
  void signal(String signal) throws Exception {
    new ProcessBuilder("kill", "-" + signal, String.valueOf(process.pid())).start().waitFor();
  }

  @Override
  public void afterEach(ExtensionContext context) throws Exception {
    client.close();
    process.destroyForcibly().waitFor(10, TimeUnit.SECONDS);
    try (Stream<Path> files = Files.walk(folder)) {
      files.sorted(Comparator.reverseOrder()).map(Path::toFile).forEach(File::delete);
    }
    Hooks.resetOnErrorDropped();
    assertThat(dropped).as("errors that nobody heard").isEmpty();
  }
}
