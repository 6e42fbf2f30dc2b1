package io.reactivetransfer.examples.spring;

import static org.awaitility.Awaitility.await;

import io.reactivetransfer.tck.process.JavaProcess;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A node as a user starts it, at ports of its own: the same ones when it is started again. */
final class SampleNode implements AutoCloseable {

  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final HttpClient HTTP = HttpClient.newHttpClient();

  private final String name;
  private final int port = freePort();
  private final int web = freePort();
  private final List<String> arguments = new ArrayList<>();
  private JavaProcess process;

  SampleNode(String name) {
    this.name = name;
  }

  /** Two that are not started yet. */
  static List<SampleNode> pair() {
    SampleNode a = new SampleNode("a");
    SampleNode b = new SampleNode("b");
    a.knows(b);
    b.knows(a);
    return List.of(a, b);
  }

  private void knows(SampleNode other) {
    arguments.add("--reactive-transfer.port=" + port);
    arguments.add("--server.port=" + web);
    arguments.add("--node.peers." + other.name + "=" + other.engine());
  }

  /** A port that is free, and so is the one behind it, for a NIC. */
  private static int freePort() {
    InetAddress here = InetAddress.getLoopbackAddress();
    while (true) {
      try (ServerSocket first = new ServerSocket(0, 1, here);
          ServerSocket _ = new ServerSocket(first.getLocalPort() + 1, 1, here)) {
        return first.getLocalPort();
      } catch (IOException | IllegalArgumentException e) {
        continue; // the one behind it is somebody's
      }
    }
  }

  void start() throws IOException {
    List<String> all = new ArrayList<>(List.of("spring", name));
    all.addAll(arguments);
    process =
        JavaProcess.start(
            JavaProcess.command(
                List.of("--sun-misc-unsafe-memory-access=allow", "-XX:+UseSerialGC", "-Xmx128m"),
                SpringMain.class.getName(),
                all.toArray(String[]::new)));
  }

  /** SIGKILL: nothing is said to anybody. */
  void kill() throws Exception {
    process.handle().destroyForcibly();
    process.handle().onExit().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
  }

  /** SIGSTOP or SIGCONT. */
  void signal(String signal) throws Exception {
    String pid = String.valueOf(process.handle().pid());
    new ProcessBuilder("kill", "-" + signal, pid).start().waitFor();
  }

  /** SIGTERM, as an operator stops it; how long that takes. */
  Duration stop() throws Exception {
    long begin = System.nanoTime();
    process.handle().destroy();
    process.exitCode();
    return Duration.ofNanos(System.nanoTime() - begin);
  }

  /** Where its engine is reached. */
  String engine() {
    return "127.0.0.1:" + port;
  }

  URI page() {
    return URI.create("http://127.0.0.1:" + web + "/");
  }

  /** What the actuator says of the engine; or why it does not, while the node is starting. */
  String health() {
    HttpRequest request =
        HttpRequest.newBuilder(page().resolve("actuator/health/reactiveTransfer/default"))
            .timeout(PATIENCE)
            .build();
    try {
      return HTTP.send(request, BodyHandlers.ofString()).body();
    } catch (IOException | InterruptedException e) {
      return e.toString();
    }
  }

  /** Up, after a start, however busy the machine is. */
  void awaitUp() {
    await().atMost(PATIENCE).until(this::health, health -> health.contains("\"status\":\"UP\""));
  }

  /** Down within 10 s. */
  String awaitDown() {
    return await()
        .atMost(Duration.ofSeconds(10))
        .until(this::health, health -> health.contains("\"status\":\"DOWN\""));
  }

  @Override
  public void close() {
    if (process != null) {
      process.close();
    }
  }

  @Override
  public String toString() {
    return process.stdout() + process.stderr();
  }
}
