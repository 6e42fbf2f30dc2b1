package io.reactivetransfer.tools.perf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.reactivetransfer.libfabric.LibfabricBackend;
import io.reactivetransfer.spi.Availability;
import io.reactivetransfer.tck.process.FreePorts;
import io.reactivetransfer.tck.process.JavaProcess;
import io.reactivetransfer.tools.CommandHere;
import java.io.BufferedReader;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Two commands as users start them on two hosts; here both are on one. */
// A usual build measures between processes by PerfTest.
@Tag("merge")
class TwoHostsTest {

  private static JavaProcess tool(String... arguments) throws Exception {
    return JavaProcess.start("io.reactivetransfer.tools.Main", arguments);
  }

  private static String listens(JavaProcess command) throws Exception {
    return "127.0.0.1:" + command.awaitLine("waiting at .*:(\\d+)").group(1);
  }

  /** The commands end well, and say what they measured. That which connects is in this process. */
  private static void measure(JavaProcess there, String at, String backend, String options)
      throws Exception {
    CommandHere here =
        CommandHere.start(
            Stream.concat(
                    Stream.of("perf", "--connect=" + at, "--backend=" + backend),
                    Stream.of((options + " --seconds=0.1 --warmup=0.1 --rounds=1").split(" ")))
                .toArray(String[]::new));
    here.awaitLine(" over " + backend + ", two hosts, ");
    assertThat(here.exitCode()).as(here::stderr).isZero();
    assertThat(here.stderr()).isEmpty();
    assertThat(there.exitCode()).as(there::stderr).isZero();
    assertThat(there.stderr()).isEmpty();
  }

  /**
   * Strangers are sent away before, and the next one is served. Where the address is one that
   * others reach, unlike 127.0.0.1, engines ask for a secret unless they are told.
   */
  @Test
  void theyMeasureWithoutASecretAndServeNoStranger() throws Exception {
    String address = outerAddress().orElse("127.0.0.1");
    try (JavaProcess there = tool("perf", "--listen=" + address + ":0")) {
      String at = address + ":" + there.awaitLine("waiting at .*:(\\d+)").group(1);
      try (Socket stranger = connect(at)) {
        greet(stranger, "GET / HTTP/1.1");
        there.awaitLine("expected reactive-transfer-tools .*, got something else");
        InputStream in = stranger.getInputStream();
        assertThat(new String(in.readAllBytes(), StandardCharsets.UTF_8))
            .matches(Pattern.compile("reactive-transfer-tools 1 .*\\n"));
      }
      try (Socket old = connect(at)) {
        greet(old, "reactive-transfer-tools 0 0.0.1");
        there.awaitLine("expected the same version.* there reactive-transfer-tools 0 0\\.0\\.1");
      }
      measure(there, at, "tcp", "--size=4K --outstanding=8 --nics=2 --verify --reference");
    }
  }

  // A usual build measures one operation between hosts, and the others in one process.
  @Tag("nightly")
  @ParameterizedTest
  @ValueSource(
      strings = {
        "--op=ping-pong --reference",
        "--op=message-ping-pong --reference",
        "--op=send --size=64",
        "--op=paged --size=512 --pages=30 --verify"
      })
  void measureOtherOperations(String options) throws Exception {
    try (JavaProcess there = tool("perf", "--listen=127.0.0.1:0")) {
      measure(there, listens(there), "tcp", options);
    }
  }

  // BackendsTest shows in a usual build that engines of libfabric need no secret there.
  @Tag("nightly")
  @Test
  void overLibfabricTheyNeedNoSecretEither() throws Exception {
    assumeTrue(new LibfabricBackend().availability() instanceof Availability.Available);
    Optional<String> address = outerAddress();
    assumeTrue(address.isPresent(), "this machine has no network");
    try (JavaProcess there = tool("perf", "--listen=" + address.orElseThrow() + ":0")) {
      String port = there.awaitLine("waiting at .*:(\\d+)").group(1);
      measure(there, address.orElseThrow() + ":" + port, "libfabric", "--size=64K");
    }
  }

  @Test
  void whenTheListenerIsKilledTheOtherOneSaysSoAndNothingIsLeft() throws Exception {
    try (JavaProcess there = tool("perf", "--listen=127.0.0.1:0");
        JavaProcess here = tool("perf", "--connect=" + listens(there), "--seconds=60")) {
      here.awaitLine("origin is process");
      List<ProcessHandle> children = there.handle().children().toList();
      assertThat(children).hasSize(1);
      there.handle().destroyForcibly();
      assertThat(here.exitCode()).isEqualTo(1);
      assertThat(here.stderr().strip().lines()).as(here.stderr()).hasSize(1);
      assertThat(here.stderr()).contains("the other side is gone");
      children.getFirst().onExit().join();
    }
  }

  /** As a listener sees that its command was killed, which has no time to say goodbye. */
  @Test
  void whenTheOtherSideIsGoneTheListenerSaysSo() throws Exception {
    CommandHere there = CommandHere.start("perf", "--listen=127.0.0.1:0");
    String port = there.awaitLine("waiting at .*:(\\d+)").group(1);
    try (Socket other = connect("127.0.0.1:" + port)) {
      String greeting =
          new BufferedReader(new InputStreamReader(other.getInputStream(), StandardCharsets.UTF_8))
              .readLine();
      greet(other, greeting);
      there.awaitLine("here is 127.0.0.1");
    }
    assertThat(there.exitCode()).isEqualTo(1);
    assertThat(there.stderr()).contains("the other side at 127.0.0.1 went away").hasLineCount(1);
  }

  // A usual build has a listener whose other side is gone, but none with a target that must end.
  @Tag("nightly")
  @Test
  void whenTheOriginsCommandIsKilledTheListenerSaysSoAndNothingIsLeft() throws Exception {
    try (JavaProcess there = tool("perf", "--listen=127.0.0.1:0");
        JavaProcess here = tool("perf", "--connect=" + listens(there), "--seconds=60")) {
      here.awaitLine("origin is process");
      List<ProcessHandle> children = there.handle().children().toList();
      here.handle().destroyForcibly();
      assertThat(there.exitCode()).isEqualTo(1);
      assertThat(there.stderr()).contains("the other side at 127.0.0.1 went away");
      children.getFirst().onExit().join();
    }
  }

  // PerfTest kills a side in a usual build; there is no listener between, which must pass it on.
  @Tag("nightly")
  @Test
  void whenTheTargetIsKilledBothSaySo() throws Exception {
    try (JavaProcess there = tool("perf", "--listen=127.0.0.1:0");
        JavaProcess here = tool("perf", "--connect=" + listens(there), "--seconds=60")) {
      here.awaitLine("origin is process");
      there.handle().children().forEach(ProcessHandle::destroyForcibly);
      assertThat(here.exitCode()).isEqualTo(1);
      assertThat(here.stderr().strip().lines()).as(here.stderr()).hasSize(1);
      assertThat(here.stderr()).contains("was killed by signal 9");
      assertThat(there.exitCode()).isEqualTo(1);
      assertThat(there.stderr()).contains("was killed by signal 9");
    }
  }

  @Test
  void whenNobodyListensItSaysWhatToDo() throws Exception {
    int free = FreePorts.inARow(1);
    CommandHere here = CommandHere.start("perf", "--connect=127.0.0.1:" + free);
    assertThat(here.exitCode()).isEqualTo(1);
    assertThat(here.stderr())
        .startsWith("reactive-transfer perf: no connection to 127.0.0.1:" + free)
        .contains("--listen")
        .hasLineCount(1);
  }

  /** A listener says so, too, as above. */
  @Test
  void anotherVersionIsTold() throws Exception {
    try (ServerSocket old = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      CommandHere here = CommandHere.start("perf", "--connect=127.0.0.1:" + old.getLocalPort());
      try (Socket accepted = old.accept()) {
        greet(accepted, "reactive-transfer-tools 0 0.0.1");
        assertThat(here.exitCode()).isEqualTo(1);
        assertThat(here.stderr())
            .contains("expected the same version", "tools 1 ", "tools 0 0.0.1")
            .hasLineCount(1);
      }
    }
  }

  /** None where a machine has no network. */
  private static Optional<String> outerAddress() throws Exception {
    return NetworkInterface.networkInterfaces()
        .flatMap(NetworkInterface::inetAddresses)
        .filter(each -> each instanceof Inet4Address && !each.isLoopbackAddress())
        .map(InetAddress::getHostAddress)
        .findFirst();
  }

  private static Socket connect(String address) throws Exception {
    int colon = address.indexOf(':');
    return new Socket(address.substring(0, colon), Integer.parseInt(address.substring(colon + 1)));
  }

  private static void greet(Socket socket, String line) throws Exception {
    socket.getOutputStream().write((line + "\n").getBytes(StandardCharsets.UTF_8));
  }
}
