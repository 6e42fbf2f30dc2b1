package io.reactivetransfer.tools.perf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.reactivetransfer.libfabric.LibfabricBackend;
import io.reactivetransfer.spi.Availability;
import io.reactivetransfer.tck.process.FreePorts;
import io.reactivetransfer.tck.process.JavaProcess;
import java.io.InputStream;
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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Two commands as users start them on two hosts; here both are on one. */
class TwoHostsTest {

  private static JavaProcess tool(String... arguments) throws Exception {
    return JavaProcess.start("io.reactivetransfer.tools.Main", arguments);
  }

  private static String listens(JavaProcess command) throws Exception {
    return "127.0.0.1:" + command.awaitLine("waiting at .*:(\\d+)").group(1);
  }

  /** The commands end well, and say what they measured. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "--size=4K --outstanding=8 --nics=2 --verify --reference",
        "--op=ping-pong --reference",
        "--op=message-ping-pong --reference",
        "--op=send --size=64",
        "--op=paged --size=512 --pages=30 --verify"
      })
  void measureWhatTwoProcessesDo(String options) throws Exception {
    try (JavaProcess there = tool("perf", "--listen=127.0.0.1:0");
        JavaProcess here =
            tool(
                Stream.concat(
                        Stream.of("perf", "--connect=" + listens(there)),
                        Stream.of((options + " --seconds=0.1 --warmup=0.1 --rounds=1").split(" ")))
                    .toArray(String[]::new))) {
      assertThat(here.exitCode()).as(here::stderr).isZero();
      assertThat(here.stdout()).contains(" over tcp, two hosts, ");
      assertThat(here.stderr()).isEmpty();
      assertThat(there.exitCode()).as(there::stderr).isZero();
      assertThat(there.stderr()).isEmpty();
    }
  }

  /** As between two hosts, unlike at 127.0.0.1, engines ask for a secret unless they are told. */
  @ParameterizedTest
  @ValueSource(strings = {"tcp", "libfabric"})
  void atAnAddressThatOthersReachTheyNeedNoSecret(String backend) throws Exception {
    String address = outerAddress();
    assumeTrue(
        backend.equals("tcp")
            || new LibfabricBackend().availability() instanceof Availability.Available);
    try (JavaProcess there = tool("perf", "--listen=" + address + ":0")) {
      String port = there.awaitLine("waiting at .*:(\\d+)").group(1);
      try (JavaProcess here =
          tool(
              "perf",
              "--connect=" + address + ":" + port,
              "--backend=" + backend,
              "--size=64K",
              "--seconds=0.1",
              "--warmup=0.1",
              "--rounds=1")) {
        assertThat(here.exitCode()).as(here::stderr).isZero();
        assertThat(here.stdout()).contains(" over " + backend + ", two hosts, ");
      }
      assertThat(there.exitCode()).as(there::stderr).isZero();
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
    try (JavaProcess here = tool("perf", "--connect=127.0.0.1:" + free)) {
      assertThat(here.exitCode()).isEqualTo(1);
      assertThat(here.stderr())
          .startsWith("reactive-transfer perf: no connection to 127.0.0.1:" + free)
          .contains("--listen")
          .hasLineCount(1);
    }
  }

  @Test
  void anotherVersionIsToldByBoth() throws Exception {
    try (ServerSocket old = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        JavaProcess here = tool("perf", "--connect=127.0.0.1:" + old.getLocalPort());
        Socket accepted = old.accept()) {
      greet(accepted, "reactive-transfer-tools 0 0.0.1");
      assertThat(here.exitCode()).isEqualTo(1);
      assertThat(here.stderr())
          .contains("expected the same version", "tools 1 ", "tools 0 0.0.1")
          .hasLineCount(1);
    }
    try (JavaProcess there = tool("perf", "--listen=127.0.0.1:0");
        Socket socket = connect(listens(there))) {
      greet(socket, "reactive-transfer-tools 0 0.0.1");
      there.awaitLine("expected the same version.* there reactive-transfer-tools 0 0\\.0\\.1");
    }
  }

  @Test
  void aStrangerIsSentAwayAndTheNextOneIsServed() throws Exception {
    try (JavaProcess there = tool("perf", "--listen=127.0.0.1:0")) {
      String address = listens(there);
      try (Socket stranger = connect(address)) {
        greet(stranger, "GET / HTTP/1.1");
        there.awaitLine("expected reactive-transfer-tools .*, got something else");
        InputStream in = stranger.getInputStream();
        assertThat(new String(in.readAllBytes(), StandardCharsets.UTF_8))
            .matches(Pattern.compile("reactive-transfer-tools 1 .*\\n"));
      }
      try (JavaProcess here =
          tool("perf", "--connect=" + address, "--seconds=0.05", "--warmup=0", "--size=64")) {
        assertThat(here.exitCode()).as(here::stderr).isZero();
      }
      assertThat(there.exitCode()).isZero();
    }
  }

  private static String outerAddress() throws Exception {
    Optional<String> found =
        NetworkInterface.networkInterfaces()
            .flatMap(NetworkInterface::inetAddresses)
            .filter(each -> each instanceof Inet4Address && !each.isLoopbackAddress())
            .map(InetAddress::getHostAddress)
            .findFirst();
    assumeTrue(found.isPresent(), "this machine has no network");
    return found.orElseThrow();
  }

  private static Socket connect(String address) throws Exception {
    String port = address.substring(address.indexOf(':') + 1);
    return new Socket(InetAddress.getLoopbackAddress(), Integer.parseInt(port));
  }

  private static void greet(Socket socket, String line) throws Exception {
    socket.getOutputStream().write((line + "\n").getBytes(StandardCharsets.UTF_8));
  }
}
