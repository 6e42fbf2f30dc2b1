package io.reactivetransfer.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.control.socket.ErrorCode;
import io.reactivetransfer.spi.RemoteMemory;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What an engine has settled it may say along with what it writes itself. */
class SettledElsewhereTest {

  private static final EngineId OTHER = new EngineId(3, 4);

  private final TestNic nic = new TestNic();
  private ServerSocket server;
  private RawConnection made;
  private long number;
  private RemoteMemory remote;
  private TestNic.Registered source;
  private TestNic.Registered marks;

  /** It has one write of 5 bytes under way to us. */
  @BeforeEach
  void begin() throws IOException {
    server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
    byte[] address = RawConnection.addressOf(server).encode();
    remote =
        nic.call(() ->
            nic.domain.resolve(
                nic.domain.resolve(RawConnection.ID, 0, address), new byte[MemoryKey.BYTES], 5));
    source = nic.register(5);
    marks = nic.register(5);
    nic.write(source, remote, 5, 42);
    made = RawConnection.from(server);
    number = made.hello().connection();
    var welcome = new Handshake.Welcome(RawConnection.ID, null);
    made.send(out -> Handshake.putWelcome(out, welcome));
    made.read(Wire.WRITE_BYTES + 5);
  }

  @AfterEach
  void close() throws IOException {
    made.close();
    server.close();
    nic.close();
  }

  private void say(RawConnection raw, long connection, long count) {
    say(raw, connection, count, 0);
  }

  /** And writes nothing under an immediate, which comes when that was read. */
  private void say(RawConnection raw, long connection, long count, long refused) {
    raw.send(out -> Wire.putSettled(out, connection, count, refused));
    raw.writeHead(marks.local().key(), 0, 0, 1);
  }

  @Test
  void byItsNumber() {
    try (RawConnection back = RawConnection.welcomedBy(nic)) {
      say(back, number, 1);
      assertThat(nic.awaitWritten(1)).containsExactly(42L);
    }
  }

  @Test
  void onceMoreOnTheConnectionItselfIsNothingNew() {
    try (RawConnection back = RawConnection.welcomedBy(nic)) {
      say(back, number, 1);
      nic.awaitWritten(1);
      made.send(out -> Wire.putAck(out, 1));
      say(back, number, 1);
      say(back, number, 0);
      nic.awaitUntil(() -> nic.imms.size() == 3);
      assertThat(nic.written).hasSize(1);
      assertThat(nic.lost).isEmpty();
    }
  }

  @Test
  void anotherEngineCannotSayIt() {
    try (RawConnection stranger = RawConnection.welcomedBy(nic, OTHER)) {
      say(stranger, number, 1);
      nic.awaitUntil(() -> !nic.imms.isEmpty());
      assertThat(nic.written).isEmpty();
    }
  }

  @Test
  void aConnectionThatIsNotThereIsNoError() {
    try (RawConnection back = RawConnection.welcomedBy(nic)) {
      say(back, number + 1, 1);
      nic.awaitUntil(() -> !nic.imms.isEmpty());
      assertThat(nic.written).isEmpty();
      assertThat(nic.lost).isEmpty();
    }
  }

  @Test
  void moreThanWasSentIsAnError() {
    try (RawConnection back = RawConnection.welcomedBy(nic)) {
      say(back, number, 2);
      assertThat(back.goodbye().code()).isEqualTo(ErrorCode.PROTOCOL.value);
      assertThat(nic.written).isEmpty();
    }
  }

  /** Two sockets: what is said on the one may be read before what was said earlier on the other. */
  @Test
  void doesNotSpeakForAWriteWhoseRefusalIsUnderWay() {
    nic.write(source, remote, 5, 43);
    nic.write(source, remote, 5, 44);
    try (RawConnection back = RawConnection.welcomedBy(nic)) {
      say(back, number, 1, 0);
      say(back, number, 3, 1);
      nic.awaitUntil(() -> nic.imms.size() == 2);
      assertThat(nic.written).containsExactly(42L);

      made.send(out -> Wire.putNack(out, 2, ErrorCode.REVOKED.because("revoked")));
      assertThat(nic.awaitFailed().token()).isEqualTo(43);
      assertThat(nic.awaitWritten(2)).containsExactly(42L, 44L);
      assertThat(nic.lost).isEmpty();
    }
  }

  @Test
  void whatWaitsForARefusalIsNotNeededWhenItIsSaidAgain() {
    nic.write(source, remote, 5, 43);
    try (RawConnection back = RawConnection.welcomedBy(nic)) {
      say(back, number, 2, 1);
      made.send(out -> Wire.putNack(out, 1, ErrorCode.REVOKED.because("revoked")));
      assertThat(nic.awaitWritten(1)).containsExactly(43L);
      made.send(out -> Wire.putAck(out, 2));
      say(back, number, 2, 1);
      nic.awaitUntil(() -> nic.imms.size() == 2);
      assertThat(nic.failed).hasSize(1);
      assertThat(nic.written).hasSize(1);
      assertThat(nic.lost).isEmpty();
    }
  }

  @Test
  void moreRefusalsThanWritesAreAnError() {
    try (RawConnection back = RawConnection.welcomedBy(nic)) {
      say(back, number, 1, 2);
      assertThat(back.goodbye().code()).isEqualTo(ErrorCode.PROTOCOL.value);
      assertThat(nic.written).isEmpty();
    }
  }

  /** The other side closes that NIC only, and may not have read all that was sent there. */
  @Test
  void isSaidAgainWhenTheConnectionItWasSaidOnHasClosed() {
    var sink = nic.register(1);
    try (RawConnection back = RawConnection.welcomedBy(nic)) {
      nic.pause();
      back.writeHead(sink.local().key(), 0, 1, 7);
      back.send((byte) 1);
      TcpDomain domain = (TcpDomain) nic.domain;
      nic.awaitUntil(() -> nic.call(() -> domain.events().size() == 1));
      nic.write(source, remote, 5, 43);
      nic.resume();
      byte[] sent = made.read(Wire.WRITE_BYTES + 5 + Wire.SETTLED_BYTES);
      assertThat(sent[Wire.WRITE_BYTES + 5]).isEqualTo((byte) Wire.SETTLED);

      made.send(out -> Wire.putGoodbye(out, ErrorCode.CLOSED.because("bye")));
      assertThat(back.ack()).isEqualTo(1);
    }
  }

  /** Two that answer each other say all that they have settled in passing. */
  @Test
  void twoNicsThatAnswerEachOther() {
    try (TestNic left = new TestNic();
        TestNic right = new TestNic()) {
      var ofLeft = left.register(8);
      var ofRight = right.register(8);
      RemoteMemory toRight = left.remote(right, ofRight);
      RemoteMemory toLeft = right.remote(left, ofLeft);
      for (int i = 1; i <= 100; i++) {
        left.write(ofLeft, toRight, 8, i);
        right.write(ofRight, toLeft, 8, i);
      }
      left.awaitWritten(100);
      right.awaitWritten(100);
      assertThat(left.failed).isEmpty();
      assertThat(left.lost).isEmpty();
    }
  }
}
