package io.reactivetransfer.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.spi.RemoteMemory;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.ByteBuffer;
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

  /** It has one write of 5 bytes under way to us. */
  @BeforeEach
  void begin() throws IOException {
    server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
    byte[] address = RawConnection.addressOf(server).encode();
    RemoteMemory remote =
        nic.call(() ->
            nic.domain.resolve(
                nic.domain.resolve(RawConnection.ID, address), new byte[MemoryKey.BYTES], 5));
    nic.write(nic.register(5), remote, 5, 42);
    made = RawConnection.from(server);
    number = made.hello().connection();
    var welcome = new Handshake.Welcome(RawConnection.ID, 1_024, null);
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
    raw.send(out -> Wire.putSettled(out, connection, count));
    raw.send(out -> Wire.putMessage(out, ByteBuffer.wrap(new byte[] {'h', 'i'})));
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
      nic.awaitUntil(() -> nic.messages.size() == 3);
      assertThat(nic.written).hasSize(1);
      assertThat(nic.lost).isEmpty();
    }
  }

  @Test
  void anotherEngineCannotSayIt() {
    try (RawConnection stranger = RawConnection.welcomedBy(nic, OTHER)) {
      say(stranger, number, 1);
      nic.awaitUntil(() -> !nic.messages.isEmpty());
      assertThat(nic.written).isEmpty();
    }
  }

  @Test
  void aConnectionThatIsNotThereIsNoError() {
    try (RawConnection back = RawConnection.welcomedBy(nic)) {
      say(back, number + 1, 1);
      nic.awaitUntil(() -> !nic.messages.isEmpty());
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
