package io.reactivetransfer.examples.spring;

import static org.awaitility.Awaitility.await;

import io.reactivetransfer.tck.process.FreePorts;
import io.reactivetransfer.tck.process.JavaProcess;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A node as a user starts it, at ports of its own: the same ones when it is started again. */
final class SampleNode implements AutoCloseable {

  private static final Duration PATIENCE = Duration.ofSeconds(120);
  private static final HttpClient HTTP = HttpClient.newHttpClient();

  /**
   * What the actuator says.
   *
   * @param status 200 for up, 503 for down, and 0 if it does not answer, as while the node starts
   * @param body in JSON, or why it does not answer
   */
  record Health(int status, String body) {}

  private final String name;
  private final int port;
  private final int web;
  private final List<String> arguments = new ArrayList<>();
  private JavaProcess process;

  /** At three ports: of the engine, of its NIC, which is the next one, and of the web. */
  private SampleNode(String name, int port) {
    this.name = name;
    this.port = port;
    this.web = port + 2;
  }

  /** Two that are not started yet. */
  static List<SampleNode> pair() {
    int first = FreePorts.inARow(6);
    SampleNode a = new SampleNode("a", first);
    SampleNode b = new SampleNode("b", first + 3);
    a.knows(b);
    b.knows(a);
    return List.of(a, b);
  }

  private void knows(SampleNode other) {
    arguments.add("--reactive-transfer.port=" + port);
    arguments.add("--server.port=" + web);
    arguments.add("--node.peers." + other.name + "=" + other.engine());
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

  /** That of a group, such as /readiness, or of all that there is. */
  Health health(String group) {
    HttpRequest request =
        HttpRequest.newBuilder(page().resolve("actuator/health" + group)).timeout(PATIENCE).build();
    try {
      HttpResponse<String> answer = HTTP.send(request, BodyHandlers.ofString());
      return new Health(answer.statusCode(), answer.body());
    } catch (IOException | InterruptedException e) {
      return new Health(0, e.toString());
    }
  }

  /** Up, after a start, however busy the machine is. */
  Health awaitUp() {
    return await().atMost(PATIENCE).until(() -> health(""), health -> health.status == 200);
  }

  /** Down, with a reason that names the peer that is not there, however busy the machine is. */
  Health awaitDownWithout(SampleNode peer) {
    String reason = "\"reason\":\"peer " + peer.engine() + " is not there: ";
    return await()
        .atMost(PATIENCE)
        .until(() -> health(""), health -> health.status == 503 && health.body.contains(reason));
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
