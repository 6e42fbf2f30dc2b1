package io.reactivetransfer.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.control.socket.ErrorCode;
import io.reactivetransfer.fuzz.TestNames;
import io.reactivetransfer.spi.BackendException;
import io.reactivetransfer.spi.RemoteMemory;
import io.reactivetransfer.spi.RemotePeer;
import io.reactivetransfer.tck.process.FreePorts;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ConnectTest {

  private static final InetAddress LOOPBACK = InetAddress.getLoopbackAddress();

  private TestNic origin;

  @BeforeEach
  void open() {
    origin = new TestNic(new TcpBackend(), 8, Duration.ofSeconds(30));
  }

  @AfterEach
  void close() {
    origin.close();
  }

  @Test
  void aPortWhereNobodyListens() {
    NicAddress nowhere = new NicAddress("127.0.0.1", FreePorts.inARow(1));

    origin.send(peer(RawConnection.ID, nowhere), "hello");

    var lost = origin.awaitLost();
    assertThat(lost.peer()).isEqualTo(RawConnection.ID);
    assertThat(lost.code()).isEqualTo(ErrorCode.CONNECT.value);
    assertThat(lost.text()).contains(nowhere.toString(), "refused");
  }

  @Test
  void aLaterPostTriesAgain() throws IOException {
    NicAddress address = new NicAddress("127.0.0.1", FreePorts.inARow(1));
    RemotePeer peer = peer(RawConnection.ID, address);
    origin.send(peer, "hello");
    origin.awaitLost();

    try (ServerSocket server = new ServerSocket()) {
      server.setReuseAddress(true);
      server.bind(new InetSocketAddress(LOOPBACK, address.port()));
      try (RawConnection raw = RawConnection.welcoming(server)) {
        assertThat(raw.read(1)).startsWith(Wire.OVER); // the one before
        raw.read(Wire.OVER_BYTES - 1);
        byte[] next = raw.read(1);
        while (next[0] == Wire.OVER) { // on a busy machine it has tried again before
          raw.read(Wire.OVER_BYTES - 1);
          next = raw.read(1);
        }
        assertThat(raw.read(Wire.WRITE_BYTES - 1 + 5)).endsWith("hello".getBytes());
      }
    }
  }

  @Test
  void aNameThatNobodyKnows() {
    origin.send(peer(RawConnection.ID, new NicAddress("no-such-host.invalid", 1)), "hello");

    var lost = origin.awaitLost();
    assertThat(lost.text()).contains("no-such-host.invalid:1");
  }

  @Test
  void aNameThatTheHostsFileKnows() {
    try (TestNic target = new TestNic()) {
      int port = NicAddress.decode(target.address).port();
      origin.send(peer(target.id, new NicAddress("localhost", port)), "hello");
      target.awaitUntil(() -> !target.messages.isEmpty());
    }
  }

  @Test
  void theSecondAddressOfAName() {
    try (TestNic target = new TestNic()) {
      int port = NicAddress.decode(target.address).port();
      origin.send(peer(target.id, new NicAddress(TestNames.TWO_ADDRESSES, port)), "hello");
      target.awaitUntil(() -> !target.messages.isEmpty());
    }
  }

  @Test
  void anotherEngineAtTheAddress() {
    try (TestNic target = new TestNic()) {
      EngineId former = new EngineId(1, 2);

      origin.send(peer(former, NicAddress.decode(target.address)), "hello");

      var lost = origin.awaitLost();
      assertThat(lost.peer()).isEqualTo(former);
      assertThat(lost.code()).isEqualTo(ErrorCode.WRONG_ENGINE.value);
      assertThat(lost.text())
          .contains(former.toShortString(), target.id.toShortString(), "restarted");
      origin.forgetWaiting();
      assertThat(target.messages).isEmpty();
      assertThat(target.lost).isEmpty();
    }
  }

  @Test
  void anEngineOfAnotherVersion() throws IOException {
    try (ServerSocket server = new ServerSocket(0, 1, LOOPBACK)) {
      origin.send(peer(RawConnection.ID, RawConnection.addressOf(server)), "hello");
      try (RawConnection raw = RawConnection.from(server)) {
        raw.hello();
        raw.send(out -> {
          Handshake.putRefusal(out, ErrorCode.VERSION.because("this is version 2"));
          out.setShort(4, 2);
        });
        var lost = origin.awaitLost();
        assertThat(lost.code()).isEqualTo(ErrorCode.VERSION.value);
        assertThat(lost.text()).contains("this is version 2", "127.0.0.1:");
      }
    }
  }

  @Test
  void aHelloOfAnotherVersionIsToldSo() {
    try (TestNic target = new TestNic();
        RawConnection raw = RawConnection.to(target)) {
      raw.send(out -> {
        Handshake.putHello(out, RawConnection.helloTo(target));
        out.setShort(4, 2);
      });
      assertThat(raw.reply())
          .isInstanceOfSatisfying(
              Handshake.Refusal.class,
              refusal -> {
                assertThat(refusal.why().code()).isEqualTo(ErrorCode.VERSION.value);
                assertThat(refusal.why().text()).contains("version 1", "got 2");
              });
      assertThat(raw.isAtEnd()).isTrue();
    }
  }

  @Test
  void anAnswerFromSomethingElse() throws IOException {
    try (ServerSocket server = new ServerSocket(0, 1, LOOPBACK)) {
      origin.send(peer(RawConnection.ID, RawConnection.addressOf(server)), "hello");
      try (RawConnection raw = RawConnection.from(server)) {
        raw.send("HTTP/1.1 400 Bad Request\r\n\r\n".getBytes());
        var lost = origin.awaitLost();
        assertThat(lost.code()).isEqualTo(ErrorCode.PROTOCOL.value);
        assertThat(lost.text()).contains("something else");
      }
    }
  }

  @Test
  void aConnectionThatIsResetWithinTheHandshake() throws IOException {
    try (ServerSocket server = new ServerSocket(0, 1, LOOPBACK);
        TestNic patient = new TestNic()) {
      byte[] address = RawConnection.addressOf(server).encode();
      patient.send(
          patient.call(() -> patient.domain.resolve(RawConnection.ID, 0, address)), "hello");
      try (Socket accepted = server.accept()) {
        assertThat(accepted.getInputStream().readNBytes(Handshake.HEAD_BYTES)).isNotEmpty();
        accepted.setSoLinger(true, 0);
      }
      var lost = patient.awaitLost();
      assertThat(lost.code()).isEqualTo(ErrorCode.BROKEN.value);
      assertThat(lost.text())
          .contains("127.0.0.1:", "within the handshake", "TLS", "too many connections");
    }
  }

  @Test
  void noAnswerInTime() throws IOException {
    try (ServerSocket server = new ServerSocket(0, 1, LOOPBACK);
        TestNic impatient = new TestNic(new TcpBackend(), 8, Duration.ofMillis(400))) {
      byte[] address = RawConnection.addressOf(server).encode();
      impatient.send(
          impatient.call(() -> impatient.domain.resolve(RawConnection.ID, 0, address)), "hello");
      try (RawConnection raw = RawConnection.from(server)) {
        var lost = impatient.awaitLost();
        impatient.forgetWaiting();
        assertThat(lost.code()).isEqualTo(ErrorCode.TIMEOUT.value);
        assertThat(lost.text()).contains("no handshake", "400 ms");
        raw.hello();
        assertThat(raw.isAtEnd()).isTrue();
      }
    }
  }

  @Test
  void aPortInUse() throws IOException {
    try (ServerSocket server = new ServerSocket(0, 1, LOOPBACK)) {
      TcpBackend backend = TcpBackend.builder().port(server.getLocalPort() - 1).build();
      assertThatThrownBy(() -> new TestNic(backend, 8, Duration.ofSeconds(1)))
          .rootCause()
          .isInstanceOf(IOException.class);
      assertThatThrownBy(() -> new TestNic(backend, 8, Duration.ofSeconds(1)))
          .cause()
          .isInstanceOf(BackendException.class)
          .hasMessageContaining("127.0.0.1:" + server.getLocalPort())
          .hasMessageContaining("in use")
          .hasMessageContaining("choose another port");
    }
  }

  /** 192.0.2.1 is of documentation, and of no machine. */
  @Test
  void aHostThatIsNotOfThisMachine() {
    TcpBackend backend = TcpBackend.builder().host("192.0.2.1").withoutSecret().build();
    assertThatThrownBy(() -> new TestNic(backend, 8, Duration.ofSeconds(1)))
        .cause()
        .isInstanceOf(BackendException.class)
        .hasMessageContaining("cannot listen on 192.0.2.1:0")
        .hasMessageContaining("192.0.2.1 is no address of this machine")
        .hasMessageContaining("host() of the backend's builder")
        .hasMessageNotContaining("port()");
  }

  @Test
  void theIpv6LoopbackAddress() {
    Ipv6.require();
    try (TestNic target =
        new TestNic(TcpBackend.builder().host("::1").build(), 8, Duration.ofSeconds(10))) {
      assertThat(NicAddress.decode(target.address).toString()).startsWith("[::1]:");
      var source = WriteTest.filled(origin.register(100), 1);
      var sink = target.register(100);
      RemoteMemory remote = origin.remote(target, sink);
      origin.write(source, remote, 100, 1);
      origin.awaitWritten(1);
      assertThat(sink.segment().mismatch(source.segment())).isEqualTo(-1);
    }
  }

  @Test
  void textsHaveBracketsAroundIpv6Addresses() throws IOException {
    Ipv6.require();
    int port;
    try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getByName("::1"))) {
      port = server.getLocalPort();
      TcpBackend taken = TcpBackend.builder().host("::1").port(port - 1).build(); // of the engine
      assertThatThrownBy(() -> new TestNic(taken, 8, Duration.ofSeconds(1)))
          .cause()
          .hasMessageContaining("cannot listen on [::1]:" + port);
    }
    origin.send(peer(RawConnection.ID, new NicAddress("::1", port)), "hello");
    assertThat(origin.awaitLost().text()).contains(" at [::1]:" + port + ": ");
  }

  @Test
  void theBracketsOfAHostAreNoPartOfIt() {
    Ipv6.require();
    try (TestNic target =
        new TestNic(TcpBackend.builder().host("[::1]").build(), 8, Duration.ofSeconds(10))) {
      assertThat(NicAddress.decode(target.address).host()).isEqualTo("::1");
      origin.send(origin.peer(target), "hello");
      target.awaitUntil(() -> !target.messages.isEmpty());
    }
  }

  @Test
  void theAdvertisedHostIsWhatOthersAreTold() {
    TcpBackend backend =
        TcpBackend.builder().host("0.0.0.0").advertisedHost("127.0.0.1").withoutSecret().build();
    try (TestNic target = new TestNic(backend, 8, Duration.ofSeconds(10))) {
      assertThat(NicAddress.decode(target.address).host()).isEqualTo("127.0.0.1");
      origin.send(origin.peer(target), "hello");
      target.awaitUntil(() -> !target.messages.isEmpty());
    }
  }

  private RemotePeer peer(EngineId id, NicAddress address) {
    return origin.call(() -> origin.domain.resolve(id, 0, address.encode()));
  }
}
