package io.reactivetransfer.membership.dns;

import static org.assertj.core.api.Assertions.fail;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.abort;

import io.reactivetransfer.tck.process.FreePorts;
import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** A dnsmasq for each test, as a child process, whose records a test changes. */
final class DnsServer implements BeforeAllCallback, BeforeEachCallback, AfterEachCallback {

  static final Duration PATIENCE = Duration.ofSeconds(30);

  /** Nothing below this is asked of anybody else: what is not there does not exist. */
  static final String LOCAL = "--local=/test/";

  private static final Stream<Path> FOLDERS =
      Stream.concat(
          Stream.of(System.getenv("PATH").split(File.pathSeparator)).map(Path::of),
          Stream.of(Path.of("/usr/sbin")));
  private static final String PROGRAM =
      FOLDERS
          .map(folder -> folder.resolve("dnsmasq"))
          .filter(Files::isExecutable)
          .map(Path::toString)
          .findFirst()
          .orElse("");

  private Path folder;
  private Path hosts;
  private int port;
  private Process process;

  @Override
  public void beforeAll(ExtensionContext context) {
    if (PROGRAM.isEmpty()) {
      String why =
          "dnsmasq is not available: no program of that name; apt-get install dnsmasq-base";
      if (Boolean.getBoolean("reactivetransfer.requireAll")) {
        fail(why + "; skipping it is forbidden by -DrequireAll");
      }
      System.err.println(context.getRequiredTestClass().getSimpleName() + " is skipped: " + why);
      abort(why);
    }
  }

  @Override
  public void beforeEach(ExtensionContext context) throws Exception {
    folder = Files.createTempDirectory("dnsmasq");
    hosts = Files.createFile(folder.resolve("hosts"));
    port = FreePorts.inARow(1);
  }

  InetSocketAddress address() {
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
  }

  /** Starts it, or starts it anew. */
  void start(String... options) throws Exception {
    stop();
    List<String> command =
        new ArrayList<>(
            List.of(
                PROGRAM,
                "--keep-in-foreground",
                "--conf-file=/dev/null",
                "--log-facility=-",
                "--pid-file=",
                "--no-resolv",
                "--no-hosts",
                "--user=" + System.getProperty("user.name"),
                "--group=",
                "--bind-interfaces",
                "--listen-address=127.0.0.1",
                "--port=" + port,
                "--addn-hosts=" + hosts));
    command.addAll(List.of(options));
    process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(folder.resolve("log").toFile()))
            .start();
    Runtime.getRuntime().addShutdownHook(new Thread(process::destroyForcibly));
    await().atMost(PATIENCE).until(this::isListening);
  }

  private boolean isListening() throws IOException {
    if (!process.isAlive()) {
      fail("dnsmasq has ended: " + Files.readString(folder.resolve("log")));
    }
    try (Socket socket = new Socket()) {
      socket.connect(address());
      return true;
    } catch (IOException notYet) {
      return false;
    }
  }

  /** Lines of an address and a name. It takes effect with the next start or {@link #reload}. */
  void hosts(String... lines) throws IOException {
    Files.write(hosts, List.of(lines));
  }

  /** SIGHUP, upon which it reads the hosts. */
  void reload() throws Exception {
    signal("HUP");
  }

  void signal(String signal) throws Exception {
    new ProcessBuilder("kill", "-" + signal, String.valueOf(process.pid())).start().waitFor();
  }

  void stop() throws InterruptedException {
    if (process != null) {
      process.destroyForcibly().waitFor();
    }
  }

  @Override
  public void afterEach(ExtensionContext context) throws Exception {
    stop();
    try (Stream<Path> files = Files.walk(folder)) {
      files.sorted(Comparator.reverseOrder()).map(Path::toFile).forEach(File::delete);
    }
  }
}
