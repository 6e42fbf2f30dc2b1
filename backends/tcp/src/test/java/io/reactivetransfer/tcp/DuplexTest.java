package io.reactivetransfer.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.control.socket.ErrorCode;
import io.reactivetransfer.spi.RemoteMemory;
import io.reactivetransfer.spi.RemotePeer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Two NICs that write to each other do so on one connection, whichever side has made it. */
class DuplexTest {

  private static final int LARGE = 1 << 20;

  private TestNic nic;

  @BeforeEach
  void open() {
    nic = new TestNic();
  }

  @AfterEach
  void close() {
    nic.close();
  }

  private static Link link(TestNic of, RemotePeer to) {
    return of.call(() -> {
      Path path = ((TcpDomain) of.domain).path(((TcpPeer) to).key());
      return path.current();
    });
  }

  private RemoteMemory memoryOf(NicAddress address) {
    return nic.call(() ->
        nic.domain.resolve(
            nic.domain.resolve(RawConnection.ID, 0, address.encode()), new byte[16], LARGE));
  }

  @Test
  void theOtherSideWritesOnTheConnectionThatIsThere() {
    try (TestNic other = new TestNic()) {
      var mine = nic.register(8);
      var its = other.register(8);
      nic.write(mine, nic.remote(other, its), 8, 1);
      nic.awaitWritten(1);
      for (int i = 2; i <= 100; i++) {
        other.write(its, other.remote(nic, mine), 8, i);
        nic.write(mine, nic.remote(other, its), 8, i);
      }
      nic.awaitWritten(100);
      other.awaitWritten(99);

      assertThat(link(nic, nic.peer(other))).isInstanceOf(DialledLink.class);
      assertThat(link(other, other.peer(nic))).isInstanceOf(AcceptedLink.class);
    }
  }

  @Test
  void anAcknowledgementGoesAlongWithTheReply() {
    var sink = nic.register(8);
    try (RawConnection raw = RawConnection.welcomedBy(nic);
        ServerSocket unused = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      RemoteMemory remote = memoryOf(RawConnection.addressOf(unused));
      nic.pause();
      raw.writeHead(sink.local().key(), 0, 1, 7);
      raw.send((byte) 1);
      TcpDomain domain = (TcpDomain) nic.domain;
      nic.awaitUntil(() -> nic.call(() -> domain.events().size() == 1));
      nic.write(sink, remote, 5, 43);
      nic.resume();

      // Nothing else is done on the connection that would have it say more.
      byte[] sent = raw.read(Wire.WRITE_BYTES + 5 + Wire.ACK_BYTES);

      assertThat(sent[0]).isEqualTo((byte) Wire.WRITE);
      assertThat(sent[Wire.WRITE_BYTES + 5]).isEqualTo((byte) Wire.ACK);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  /** They begin in the buffer of the reply, and have no room there. */
  @Test
  void ofTheAnswersToManyWritesNoneOvertakesAnother() throws IOException {
    int pairs = 20;
    var sink = nic.register(8);
    try (RawConnection raw = RawConnection.welcomedBy(nic);
        ServerSocket unused = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      RemoteMemory remote = memoryOf(RawConnection.addressOf(unused));
      nic.pause();
      for (int i = 0; i < pairs; i++) {
        raw.writeHead(sink.local().key(), 0, 0, 7);
        raw.writeHead(sink.local().key(), 9, 0, 7); // out of bounds
      }
      TcpDomain domain = (TcpDomain) nic.domain;
      nic.awaitUntil(() -> nic.call(() -> domain.events().size() == 2 * pairs));
      nic.write(sink, remote, 5, 43);
      nic.resume();

      assertThat(raw.read(Wire.WRITE_BYTES + 5)[0]).isEqualTo((byte) Wire.WRITE);
      for (int i = 0; i < pairs; i++) {
        assertThat(raw.ack()).isEqualTo(2 * i + 1);
        assertThat(raw.nack(2 * i + 2).code()).isEqualTo(ErrorCode.BOUNDS.value);
      }
    }
  }

  /** Each side writes on that of the engine with the smaller id, and reads both. */
  @Test
  void ofTwoThatWereMadeAtOnceOneIsWrittenOnAndBothAreRead() throws IOException {
    var source = nic.register(8);
    try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      RemoteMemory remote = memoryOf(RawConnection.addressOf(server));
      nic.write(source, remote, 5, 1);
      try (RawConnection dialled = RawConnection.from(server)) {
        dialled.hello();
        try (RawConnection accepted = RawConnection.welcomedBy(nic)) {
          accepted.read(Wire.WRITE_BYTES + 5); // rather than wait for the other one

          dialled.send(
              out -> Handshake.putWelcome(out, new Handshake.Welcome(RawConnection.ID, null)));
          dialled.writeHead(source.local().key(), 0, 0, 1);
          assertThat(dialled.ack()).isEqualTo(1);
          accepted.writeHead(source.local().key(), 0, 0, 2);
          assertThat(accepted.ack()).isEqualTo(1);

          nic.write(source, remote, 5, 2);
          accepted.read(Wire.WRITE_BYTES + 5); // nothing overtakes the one before
          accepted.send(out -> Wire.putAck(out, 2));
          nic.awaitWritten(2);

          nic.write(source, remote, 5, 3);
          RawConnection preferred = nic.id.compareTo(RawConnection.ID) < 0 ? dialled : accepted;
          preferred.read(Wire.WRITE_BYTES + 5);
          preferred.send(out -> Wire.putAck(out, preferred == accepted ? 3 : 1));
          assertThat(nic.awaitWritten(3)).containsExactly(1L, 2L, 3L);
          assertThat(nic.imms).containsExactly(1, 2);
        }
      }
    }
  }

  /** The other one is there for what comes next. */
  @Test
  void ofTwoTheOneThatEndsTakesItsOwnWritesAlongOnly() throws IOException {
    var source = nic.register(8);
    try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      RemoteMemory remote = memoryOf(RawConnection.addressOf(server));
      nic.write(source, remote, 5, 1);
      try (RawConnection dialled = RawConnection.from(server);
          RawConnection accepted = RawConnection.welcomedBy(nic)) {
        accepted.read(Wire.WRITE_BYTES + 5);
        dialled.hello();
        dialled.send(
            out -> Handshake.putWelcome(out, new Handshake.Welcome(RawConnection.ID, null)));
        dialled.writeHead(source.local().key(), 0, 0, 1);
        dialled.ack();

        accepted.reset();

        assertThat(nic.awaitFailed().token()).isEqualTo(1);
        assertThat(nic.lost).hasSize(1);
        nic.write(source, remote, 5, 2);
        assertThat(dialled.read(Wire.OVER_BYTES)).startsWith(Wire.OVER);
        dialled.read(Wire.WRITE_BYTES + 5);
        dialled.send(out -> Wire.putAck(out, 1));
        nic.awaitWritten(1);
      }
    }
  }

  /** In whatever order: nothing is lost with the first, and the other one was only read. */
  @Test
  void ofTwoTheLastIsTheLossOfTheWay() throws IOException {
    var source = nic.register(8);
    try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      RemoteMemory remote = memoryOf(RawConnection.addressOf(server));
      nic.write(source, remote, 5, 1);
      try (RawConnection dialled = RawConnection.welcoming(server);
          RawConnection accepted = RawConnection.welcomedBy(nic)) {
        dialled.read(Wire.WRITE_BYTES + 5);
        dialled.send(out -> Wire.putAck(out, 1));
        nic.awaitWritten(1);

        dialled.reset();
        accepted.read(Wire.OVER_BYTES);
        assertThat(nic.lost).isEmpty();
        accepted.reset();

        nic.awaitLost();
        assertThat(nic.failed).isEmpty();
      }
    }
  }

  @Test
  void whatEndsItEndsTheWritesOfBoth() throws IOException {
    var sink = nic.register(1_000);
    try (ServerSocket unused = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        RawConnection raw = RawConnection.welcomedBy(nic)) {
      RemoteMemory remote = memoryOf(RawConnection.addressOf(unused));
      nic.write(nic.register(8), remote, 8, 1);
      raw.read(Wire.WRITE_BYTES + 8);
      raw.writeHead(sink.local().key(), 0, 1_000, 5);
      raw.send(new byte[500]);

      nic.run(() -> nic.domain.disconnect(((TcpRemoteMemory) remote).peer(), "silent"));

      assertThat(raw.goodbye().code()).isEqualTo(ErrorCode.GIVEN_UP.value);
      assertThat(raw.isAtEnd()).isTrue();
      assertThat(nic.awaitFailed().code()).isEqualTo(ErrorCode.GIVEN_UP.value);
      assertThat(nic.lost).hasSize(1);
      assertThat(nic.imms).isEmpty();
    }
  }

  /** What is read does not wait for what is written, and is acknowledged before the end of that. */
  @Test
  void itIsReadThoughItsOutputIsFull() throws IOException {
    int count = 32;
    var source = nic.register(LARGE);
    try (ServerSocket unused = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        RawConnection raw = RawConnection.welcomedBy(nic)) {
      RemoteMemory remote = memoryOf(RawConnection.addressOf(unused));
      for (int i = 1; i <= count; i++) {
        nic.write(source, remote, LARGE, i);
      }
      nic.awaitUntil(() -> nic.refusals.get() > 0); // there is no more room

      raw.writeHead(source.local().key(), 0, 0, 7);
      nic.awaitUntil(() -> nic.imms.contains(7));

      int writes = 0;
      for (int type; (type = raw.read(1)[0]) != Wire.ACK; ) {
        if (type == Wire.WRITE) {
          raw.read(Wire.WRITE_BYTES - 1 + Wire.FIRST_PART_BYTES);
          writes++;
        } else {
          raw.read(ByteBuffer.wrap(raw.read(Integer.BYTES)).getInt());
        }
      }
      assertThat(ByteBuffer.wrap(raw.read(Long.BYTES)).getLong()).isEqualTo(1);
      assertThat(writes).isLessThan(count);
    }
  }

  @Test
  void twoThatWriteMuchToEachOtherDoNotWaitForOneAnother() {
    int count = 500;
    try (TestNic other = new TestNic()) {
      var mine = nic.register(LARGE);
      var its = other.register(LARGE);
      RemoteMemory there = nic.remote(other, its);
      RemoteMemory back = other.remote(nic, mine);
      for (int i = 1; i <= count; i++) {
        nic.write(mine, there, LARGE, i);
        other.write(its, back, LARGE, i);
      }
      nic.awaitWritten(count);
      other.awaitWritten(count);
      assertThat(nic.lost).isEmpty();
      assertThat(other.lost).isEmpty();
    }
  }
}
