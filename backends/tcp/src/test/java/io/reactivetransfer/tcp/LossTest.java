package io.reactivetransfer.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.control.socket.ErrorCode;
import io.reactivetransfer.spi.Operation;
import io.reactivetransfer.spi.RemoteMemory;
import io.reactivetransfer.spi.RemotePeer;
import io.reactivetransfer.tck.process.FreePorts;
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
  void anOriginThatIsKilledIsForgotten() {
    TestNic origin = new TestNic();
    var sink = nic.register(16);
    origin.write(origin.register(16), origin.remote(nic, sink), 16, 1);
    origin.awaitWritten(1);

    origin.kill();

    nic.awaitUntil(() -> nic.call(((TcpDomain) nic.domain)::known) == 0);
    assertThat(nic.lost).isEmpty(); // that it is lost is for the control channel to say
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

    nic.awaitUntil(() -> nic.call(((TcpDomain) nic.domain)::known) == 0);
    assertThat(nic.imms).isEmpty();
    assertThat(nic.lost).isEmpty();
  }

  @Test
  void aNewConnectionOfTheSameNicEndsTheOldOneAndWhatIsOnItsWayThere() {
    var sink = nic.register(1_000);
    try (RawConnection old = RawConnection.welcomedBy(nic)) {
      old.writeHead(sink.local().key(), 0, 1_000, 5);
      old.send(new byte[500]);
      try (RawConnection current = RawConnection.welcomedBy(nic)) {
        assertThat(old.isAtEnd()).isTrue();
        sink.segment().fill((byte) 7);
        current.writeHead(sink.local().key(), 0, 1, 6);
        current.send(new byte[] {8});
        assertThat(current.ack()).isEqualTo(1);

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

      nic.run(
          () -> nic.domain.disconnect(nic.domain.resolve(RawConnection.ID, 0, address), "silent"));

      assertGivenUp(in);
      assertThat(nic.lost).isEmpty();
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
        out.read(Wire.WRITE_BYTES + "hello".length());

        nic.run(() -> nic.domain.disconnect(peer, "silent"));

        assertGivenUp(out);
      }
    }
  }

  /** What was written over a way that is over is written again over others, and must stay. */
  @Test
  void whatWasWrittenOverAWayThatIsOverDoesNotLandAfterwards() {
    var sink = nic.register(1_000);
    try (RawConnection over = RawConnection.welcomedBy(nic);
        RawConnection other = RawConnection.to(nic)) {
      over.writeHead(sink.local().key(), 0, 1_000, 5);
      over.send(new byte[500]);
      var hello = RawConnection.helloTo(nic);
      byte[] nonce = hello.nonce().clone();
      nonce[0] = 1;
      var secondNic = new Handshake.Hello(hello.dialler(), hello.acceptor(), 1, nonce);
      other.send(out -> Handshake.putHello(out, secondNic));
      assertThat(other.reply()).isInstanceOf(Handshake.Welcome.class);

      other.send(out -> Wire.putOver(out, hello.connection()));
      other.writeHead(sink.local().key(), 0, 0, 6);

      assertThat(other.ack()).isEqualTo(1);
      assertThat(over.isAtEnd()).isTrue();
      assertThat(nic.imms).containsExactly(6);
    }
  }

  @Test
  void arrivalsBeforeTheEndAreReported() throws IOException {
    var sink = nic.register(8);
    try (RawConnection raw = RawConnection.welcomedBy(nic)) {
      for (int i = 0; i < 1_000; i++) {
        raw.writeHead(sink.local().key(), 0, 0, i);
      }
      // Not closed yet: with acknowledgements unread, that would throw away what is on the way.
      raw.socket.shutdownOutput();
      nic.awaitUntil(() -> nic.imms.size() == 1_000);
    }
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
    RemoteMemory remote = nic.remote(other, sink);
    other.pause(); // so it acknowledges nothing, however late it is closed
    nic.write(source, remote, bytes, 1);
    nic.awaitUntil(() -> sink.segment().get(ValueLayout.JAVA_BYTE, 1_000) == last);

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

  @Test
  void aRestartedPeerIsAnotherOne() {
    // Two: of the control channel and the NIC; not those that the system gives to others meanwhile.
    TcpBackend fixed = TcpBackend.builder().port(FreePorts.inARow(2)).build();
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
      try (RawConnection in = RawConnection.welcomedBy(nic, new EngineId(3, 4));
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
                    nic.domain
                        .post(new Operation().between(sink.local(), raw(server, 1)).range(0, 0, 1))
                        .isTaken()))
            .isFalse();
        assertThat(WriteTest.bytes(sink.segment())).containsOnly(7);
        assertThat(nic.log).isEmpty();
      }
    }
  }

  private RemoteMemory raw(ServerSocket server, long bytes) {
    byte[] address = RawConnection.addressOf(server).encode();
    return nic.loop.inLoop()
        ? nic.domain.resolve(nic.domain.resolve(RawConnection.ID, 0, address), new byte[16], bytes)
        : nic.call(() ->
            nic.domain.resolve(
                nic.domain.resolve(RawConnection.ID, 0, address), new byte[16], bytes));
  }
}
