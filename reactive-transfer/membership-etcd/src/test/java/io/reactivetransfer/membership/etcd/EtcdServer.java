package io.reactivetransfer.membership.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.abort;

import io.etcd.jetcd.Auth;
import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import io.etcd.jetcd.ClientBuilder;
import io.etcd.jetcd.maintenance.StatusResponse;
import io.reactivetransfer.fuzz.TestPki;
import io.reactivetransfer.tck.process.FreePorts;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import reactor.core.publisher.Hooks;

/** An etcd of its own for each test, or a cluster of some, and a client that looks into it. */
final class EtcdServer implements BeforeAllCallback, BeforeEachCallback, AfterEachCallback {

  static final Duration PATIENCE = Duration.ofSeconds(30);

  private final int size;
  private final TestPki.@Nullable Files tls;
  private final List<String> options = new ArrayList<>();
  private final List<EtcdMember> members = new ArrayList<>();
  private final List<Throwable> dropped = new CopyOnWriteArrayList<>();
  private Path folder;
  private @Nullable Client client;

  /** One alone. Elections are fast, so that leases of 1 s are possible. */
  EtcdServer() {
    this(1, null, "--heartbeat-interval=10", "--election-timeout=100");
  }

  private EtcdServer(int size, TestPki.@Nullable Files tls, String... options) {
    this.size = size;
    this.tls = tls;
    this.options.addAll(List.of(options));
  }

  /** Three, which elect fast, and yet not whenever one of them does not get a processor at once. */
  static EtcdServer ofThree() {
    return new EtcdServer(3, null, "--heartbeat-interval=50", "--election-timeout=500");
  }

  /**
   * One that speaks TLS, and wants to see a certificate.
   *
   * @param files its own certificate, and the authority that those of clients have to be of
   */
  static EtcdServer ofTls(TestPki.Files files) {
    return new EtcdServer(
        1,
        files,
        "--cert-file=" + files.certificates(),
        "--key-file=" + files.key(),
        "--trusted-ca-file=" + files.trusted(),
        "--client-cert-auth");
  }

  /** With further options. */
  EtcdServer with(String... more) {
    options.addAll(List.of(more));
    return this;
  }

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
    members.clear();
    client = null;
    String scheme = tls == null ? "http" : "https";
    int port = FreePorts.inARow(2 * size);
    IntStream.range(0, size)
        .mapToObj(i -> new EtcdMember("m" + i, folder, scheme, port + 2 * i))
        .forEach(members::add);
    start();
    // A client that comes too early waits for a second before it tries again.
    await().atMost(PATIENCE).pollInterval(Duration.ofMillis(20)).until(this::isListening);
    client = tls == null ? builder().build() : builder(tls).build();
    client.getKVClient().get(bytes("a")).get();
  }

  private boolean isListening() {
    return members.stream().allMatch(EtcdMember::isListening);
  }

  static ByteSequence bytes(String text) {
    return ByteSequence.from(text, StandardCharsets.UTF_8);
  }

  /** Where all members are. */
  ClientBuilder builder() {
    return Client.builder()
        .endpoints(members.stream().map(EtcdMember::endpoint).toArray(String[]::new));
  }

  /** The same, for a client that has these. */
  ClientBuilder builder(TestPki.Files files) throws SSLException {
    return builder()
        .sslContext(ssl ->
            ssl.trustManager(files.trusted().toFile())
                .keyManager(files.certificates().toFile(), files.key().toFile()));
  }

  EtcdMember member(int index) {
    return members.get(index);
  }

  /** What a member says of itself, and who it takes for the leader, 0 for none. */
  StatusResponse status(int index) {
    return client.getMaintenanceClient().statusMember(member(index).endpoint()).join();
  }

  /** Of the endpoint. */
  int port() {
    return member(0).port();
  }

  /** A client that is not the one under test. */
  Client client() {
    return client;
  }

  /**
   * From now on nobody may do anything but root, whose password is the same, and who else is added.
   */
  void enableUsers() throws Exception {
    Auth auth = client.getAuthClient();
    auth.userAdd(bytes("root"), bytes("root")).get();
    auth.userGrantRole(bytes("root"), bytes("root")).get();
    auth.authEnable().get();
  }

  /** With the data that it has. */
  void start() throws IOException {
    for (int i = 0; i < size; i++) {
      start(i);
    }
  }

  /** With the data that it has. */
  void start(int index) throws IOException {
    String cluster = members.stream().map(EtcdMember::peer).collect(Collectors.joining(","));
    member(index).start(cluster, options);
  }

  /** SIGKILL; returns when it is gone. */
  void kill() throws InterruptedException {
    member(0).kill();
  }

  /** SIGSTOP or SIGCONT. */
  void signal(String signal) throws Exception {
    member(0).signal(signal);
  }

  @Override
  public void afterEach(ExtensionContext context) throws Exception {
    try {
      if (client != null) {
        client.close();
      }
    } finally {
      for (EtcdMember each : members) {
        each.end();
      }
    }
    try (Stream<Path> files = Files.walk(folder)) {
      files.sorted(Comparator.reverseOrder()).map(Path::toFile).forEach(File::delete);
    }
    Hooks.resetOnErrorDropped();
    assertThat(dropped).as("errors that nobody heard").isEmpty();
  }
}
