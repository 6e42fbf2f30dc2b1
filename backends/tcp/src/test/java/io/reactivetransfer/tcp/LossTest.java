package io.reactivetransfer.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.spi.RemoteMemory;
import io.reactivetransfer.spi.RemotePeer;
import io.reactivetransfer.spi.WriteOp;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Connections that end, in good order or not, and what each side is told. */
class LossTest {

  private TestNic nic;

  @BeforeEach
  void open() {
    nic = new TestNic(new TcpBackend(), 64, Duration.ofSeconds(10));
  }

  @AfterEach
  void close() {
    nic.close();
  }

  @Test
  void theTargetIsKilled() {
    TestNic target = new TestNic();
    var sink = target.register(16);
    RemoteMemory remote = nic.remote(target, sink);
    nic.write(nic.register(16), remote, 16, 1);
    nic.awaitWritten(1);

    target.kill();

    var lost = nic.awaitLost();
    assertThat(lost.peer()).isEqualTo(target.id);
    assertThat(lost.code()).isEqualTo(ErrorCode.BROKEN.value);
    assertThat(lost.text()).contains(NicAddress.decode(target.address).toString());
    target.close();
  }

  @Test
  void theOriginIsKilled() {
    TestNic origin = new TestNic();
    var sink = nic.register(16);
    origin.write(origin.register(16), origin.remote(nic, sink), 16, 1);
    origin.awaitWritten(1);

    origin.kill();

    var lost = nic.awaitLost();
    assertThat(lost.peer()).isEqualTo(origin.id);
    assertThat(lost.text()).contains("without a goodbye");
    origin.close();
  }

  @Test
  void aTargetThatDiesWithWritesOnTheWay() throws IOException {
    try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      int bytes = 1 << 20;
      var source = nic.register(bytes);
      RemoteMemory remote = raw(server, bytes);
      for (int i = 1; i <= 20; i++) {
        nic.write(source, remote, bytes, i);
      }
      RawConnection raw = RawConnection.welcoming(server);
      raw.read(Wire.WRITE_BYTES + bytes);
      raw.send(out -> Wire.putAck(out, 1));
      nic.awaitWritten(1);
      raw.read(Wire.WRITE_BYTES + 1_000);

      raw.reset();

      nic.awaitUntil(() -> !nic.failed.isEmpty());
      nic.forgetWaiting();
      int accepted = nic.call(() -> nic.written.size() + nic.failed.size());
      assertThat(nic.written).containsExactly(1L);
      assertThat(accepted).isBetween(2, 20);
      assertThat(nic.failed).allSatisfy(f -> assertThat(f.text()).contains("127.0.0.1:"));
      assertThat(nic.lost).hasSize(1);
      assertThat(nic.log).startsWith("written 1", "lost " + RawConnection.ID, "failed 2");
    }
  }

  @Test
  void anOriginThatDiesInTheMiddleOfAWrite() {
    var sink = nic.register(1_000);
    RawConnection raw = RawConnection.welcomedBy(nic);
    raw.writeHead(sink.local().key(), 0, 1_000, 5);
    raw.send(new byte[500]);

    raw.close();

    var lost = nic.awaitLost();
    assertThat(lost.peer()).isEqualTo(RawConnection.ID);
    assertThat(lost.text()).contains("middle of a frame");
    assertThat(nic.imms).isEmpty();
  }

  @Test
  void aNewConnectionOfTheSameNicEndsTheOldOneAndWhatIsOnItsWayThere() {
    var sink = nic.register(1_000);
    try (RawConnection old = RawConnection.welcomedBy(nic)) {
      old.writeHead(sink.local().key(), 0, 1_000, 5);
      old.send(new byte[500]);
      try (RawConnection current = RawConnection.welcomedBy(nic)) {
        assertThat(nic.awaitLost().code()).isEqualTo(ErrorCode.REPLACED.value);
        sink.segment().fill((byte) 7);
        current.writeHead(sink.local().key(), 0, 1, 6);
        current.send(new byte[] {8});
        assertThat(current.ack()).isEqualTo(1);

        assertThat(old.isAtEnd()).isTrue();
        assertThat(nic.imms).containsExactly(6);
        assertThat(WriteTest.bytes(sink.segment())).startsWith(8, 7).endsWith(7);
      }
    }
  }

  @Test
  void givingUpAPeerEndsItsConnectionsToo() throws IOException {
    var sink = nic.register(1_000);
    try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        RawConnection in = RawConnection.welcomedBy(nic)) {
      in.writeHead(sink.local().key(), 0, 1_000, 5);
      in.send(new byte[500]);
      byte[] address = RawConnection.addressOf(server).encode();

      nic.run(() -> nic.domain.disconnect(nic.domain.resolve(RawConnection.ID, address), "silent"));

      assertThat(nic.awaitLost().code()).isEqualTo(ErrorCode.GIVEN_UP.value);
      assertThat(nic.lost.peek().text()).contains("silent");
      assertGivenUp(in);
    }
  }

  private static void assertGivenUp(RawConnection raw) {
    assertThat(raw.goodbye())
        .satisfies(why -> {
          assertThat(why.code()).isEqualTo(ErrorCode.GIVEN_UP.value);
          assertThat(why.text()).contains("given up", "silent");
        });
    assertThat(raw.isAtEnd()).isTrue();
  }

  @Test
  void whoIsGivenUpIsToldWhyOnTheConnectionToItToo() throws IOException {
    try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      RemotePeer peer = ((TcpRemoteMemory) raw(server, 16)).peer();
      nic.send(peer, "hello");
      try (RawConnection out = RawConnection.welcoming(server)) {
        out.read(Wire.MESSAGE_BYTES + "hello".length());

        nic.run(() -> nic.domain.disconnect(peer, "silent"));

        assertGivenUp(out);
      }
    }
  }

  /** When a peer is lost its memory is given to others, whatever still waits to be read. */
  @Test
  void whatALostPeerWroteBeforeDoesNotLandAfterwards() throws IOException {
    var sink = nic.register(1_000);
    try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        RawConnection in = RawConnection.welcomedBy(nic)) {
      in.writeHead(sink.local().key(), 0, 1_000, 5);
      in.send(new byte[500]);
      nic.send(((TcpRemoteMemory) raw(server, 16)).peer(), "hello");
      RawConnection out = RawConnection.welcoming(server);
      out.reset();

      assertThat(nic.awaitLost().peer()).isEqualTo(RawConnection.ID);
      assertThat(in.isAtEnd()).isTrue();
      assertThat(nic.imms).isEmpty();
    }
  }

  @Test
  void arrivalsBeforeTheLossAreReportedBeforeIt() throws IOException {
    var sink = nic.register(8);
    try (RawConnection raw = RawConnection.welcomedBy(nic)) {
      for (int i = 0; i < 1_000; i++) {
        raw.writeHead(sink.local().key(), 0, 0, i);
      }
      // Not closed yet: with acknowledgements unread, that would throw away what is on the way.
      raw.socket.shutdownOutput();
      nic.awaitLost();
    }

    assertThat(nic.imms).as("arrivals").size().isEqualTo(1_000);
    assertThat(nic.log).last().isEqualTo("lost " + RawConnection.ID);
  }

  @Test
  void anOrderlyCloseIsCalledThat() {
    TestNic other = new TestNic();
    nic.write(nic.register(16), nic.remote(other, other.register(16)), 16, 1);
    other.write(other.register(16), other.remote(nic, nic.register(16)), 16, 1);
    nic.awaitWritten(1);
    other.awaitWritten(1);

    other.close();

    var lost = nic.awaitLost();
    assertThat(lost.peer()).isEqualTo(other.id);
    assertThat(lost.code()).isEqualTo(ErrorCode.CLOSED.value);
    assertThat(lost.text()).contains("closed");
  }

  @Test
  void anOrderlyCloseInTheMiddleOfAWriteIsCalledThatToo() {
    int bytes = 128 << 20;
    TestNic other = new TestNic();
    var sink = other.register(bytes);
    var source = WriteTest.filled(nic.register(bytes), 1);
    byte last = source.segment().get(ValueLayout.JAVA_BYTE, 1_000);
    nic.write(source, nic.remote(other, sink), bytes, 1);
    other.awaitUntil(() -> sink.segment().get(ValueLayout.JAVA_BYTE, 1_000) == last);

    other.close();

    assertThat(nic.awaitFailed().text()).contains("closed the connection", "was closed");
    assertThat(nic.lost).extracting(TestNic.Lost::code).containsExactly(ErrorCode.CLOSED.value);
  }

  @Test
  void bothConnectionsOfOnePeerAreOneLoss() {
    TestNic other = new TestNic();
    nic.write(nic.register(16), nic.remote(other, other.register(16)), 16, 1);
    other.write(other.register(16), other.remote(nic, nic.register(16)), 16, 1);
    nic.awaitWritten(1);
    other.awaitWritten(1);

    other.kill();
    nic.awaitLost();
    other.close();

    // Both sockets are closed by now: a further turn would have reported the second.
    TestNic third = new TestNic();
    nic.send(nic.peer(third), "still here");
    third.awaitUntil(() -> !third.messages.isEmpty());
    third.close();
    nic.awaitUntil(() -> nic.lost.size() == 2);
    assertThat(nic.lost).extracting(TestNic.Lost::peer).containsExactly(other.id, third.id);
  }

  /** What is taken over after a loss was told may be lost once more, and that is told first. */
  @Test
  void theEndOfAConnectionThatWasUsedAfterALossIsAnotherOne() throws IOException {
    int bytes = 1 << 20;
    var source = nic.register(bytes);
    try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        RawConnection in = RawConnection.welcomedBy(nic)) {
      RemoteMemory remote = raw(server, bytes);
      nic.send(((TcpRemoteMemory) remote).peer(), "before");
      RawConnection out = RawConnection.welcoming(server);
      in.reset();
      nic.awaitLost();

      nic.write(source, remote, bytes, 1);
      out.read(2 * Wire.MESSAGE_BYTES);
      nic.awaitUntil(() -> nic.mostInFlight.get() == 1);
      out.reset();

      nic.awaitFailed();
      assertThat(nic.lost).hasSize(2);
      assertThat(nic.log)
          .endsWith("lost " + RawConnection.ID, "lost " + RawConnection.ID, "failed 1");
    }
  }

  @Test
  void aRestartedPeerIsAnotherOne() throws IOException {
    int port;
    try (ServerSocket probe = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = Math.min(probe.getLocalPort(), 65_000);
    }
    TcpBackend fixed = TcpBackend.builder().port(port).build();
    TestNic first = new TestNic(fixed, 8, Duration.ofSeconds(10));
    RemotePeer peer = nic.peer(first);
    nic.send(peer, "one");
    first.awaitUntil(() -> !first.messages.isEmpty());
    first.kill();
    nic.awaitLost();
    first.close();

    TestNic second = new TestNic(fixed, 8, Duration.ofSeconds(10));
    nic.send(peer, "two");

    nic.awaitUntil(() -> nic.lost.size() >= 2);
    nic.forgetWaiting();
    assertThat(nic.lost).last().extracting(TestNic.Lost::code).isEqualTo(3);
    assertThat(second.messages).isEmpty();
    second.close();
  }

  @Test
  void closingReportsNothingAndTouchesNothing() throws IOException {
    try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      int bytes = 4 << 20;
      nic.write(nic.register(bytes), raw(server, bytes), bytes, 1);
      try (RawConnection in = RawConnection.welcomedBy(nic);
          RawConnection out = RawConnection.welcoming(server)) {
        var sink = nic.register(100);
        in.writeHead(sink.local().key(), 0, 100, 1);
        in.send(new byte[50]);
        out.read(Wire.WRITE_BYTES);

        nic.run(nic.domain::close);
        sink.segment().fill((byte) 7);
        in.goodbye();

        assertThat(in.isAtEnd()).isTrue();
        assertThat(nic.call(() -> nic.domain.poll(nic))).isZero();
        assertThat(
                nic.call(() ->
                    nic.domain.post(
                        new WriteOp().between(sink.local(), raw(server, 1)).range(0, 0, 1))))
            .isFalse();
        assertThat(WriteTest.bytes(sink.segment())).containsOnly(7);
        assertThat(nic.log).isEmpty();
      }
    }
  }

  private RemoteMemory raw(ServerSocket server, long bytes) {
    byte[] address = RawConnection.addressOf(server).encode();
    return nic.loop.inLoop()
        ? nic.domain.resolve(nic.domain.resolve(RawConnection.ID, address), new byte[16], bytes)
        : nic.call(() ->
            nic.domain.resolve(nic.domain.resolve(RawConnection.ID, address), new byte[16], bytes));
  }
}
