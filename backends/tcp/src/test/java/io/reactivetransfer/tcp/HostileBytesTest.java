package io.reactivetransfer.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.control.socket.ErrorCode;
import io.reactivetransfer.spi.RemoteMemory;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Bytes that no proper engine sends close the connection that they came on, and harm nothing else.
 */
class HostileBytesTest {

  private TestNic nic;
  private TestNic friend;
  private TestNic.Registered sink;

  @BeforeEach
  void open() {
    nic = new TestNic(new TcpBackend(), 8, Duration.ofSeconds(30));
    friend = new TestNic();
    sink = nic.register(64);
  }

  @AfterEach
  void friendsAreNotConcerned() {
    var source = WriteTest.filled(friend.register(64), 1);
    friend.write(source, friend.remote(nic, nic.register(64)), 64, 1);
    friend.awaitWritten(1);
    assertThat(friend.lost).isEmpty();
    friend.close();
    nic.close();
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void randomBytesInsteadOfAHello(long seed) {
    byte[] bytes = new byte[10_000];
    new Random(seed).nextBytes(bytes);
    try (RawConnection raw = RawConnection.to(nic)) {
      raw.send(bytes);
      assertThat(raw.reply()).isInstanceOf(Handshake.Refusal.class);
      assertThat(raw.isAtEnd()).isTrue();
    }
    assertThat(nic.lost).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16})
  void randomBytesAfterTheHandshake(long seed) {
    byte[] bytes = new byte[10_000];
    new Random(seed).nextBytes(bytes);
    try (RawConnection raw = RawConnection.welcomedBy(nic)) {
      raw.send(bytes);
    }
    nic.awaitNobody();
    assertThat(nic.imms).isEmpty();
    assertThat(WriteTest.bytes(sink.segment())).containsOnly(0);
  }

  @Test
  void aHelloThatIsTooLong() {
    rejectedHello(out -> out.setShort(6, 66));
  }

  @Test
  void aHelloThatIsTooShort() {
    rejectedHello(out -> out.setShort(6, 64));
  }

  /** No engine has as many, and what is behind them nobody would shut. */
  @Test
  void aHelloOfANinthNic() {
    rejectedHello(out -> out.setByte(40, 8));
  }

  private void rejectedHello(Consumer<io.netty.buffer.ByteBuf> damage) {
    try (RawConnection raw = RawConnection.to(nic)) {
      raw.send(out -> {
        Handshake.putHello(out, RawConnection.helloTo(nic));
        damage.accept(out);
      });
      assertThat(raw.reply())
          .isInstanceOfSatisfying(
              Handshake.Refusal.class,
              refusal -> assertThat(refusal.why().code()).isEqualTo(ErrorCode.PROTOCOL.value));
      assertThat(raw.isAtEnd()).isTrue();
    }
  }

  @Test
  void aHelloThatNeverEnds() {
    try (TestNic impatient = new TestNic(new TcpBackend(), 8, Duration.ofMillis(500));
        RawConnection raw = RawConnection.to(impatient)) {
      raw.send((byte) 'R', (byte) 'T');
      assertThat(raw.isAtEnd()).isTrue();
    }
  }

  @Test
  void silence() {
    try (TestNic impatient = new TestNic(new TcpBackend(), 8, Duration.ofMillis(500));
        RawConnection raw = RawConnection.to(impatient)) {
      assertThat(raw.isAtEnd()).isTrue();
    }
  }

  @Test
  void oneByteAtATimeIsSlowAndFine() {
    try (RawConnection raw = RawConnection.welcomedBy(nic)) {
      raw.send(out -> {
        byte[] key = sink.local().key();
        Wire.putWrite(out, true, 3, MemoryKey.decode(key), 60, 2);
        out.writeByte(8).writeByte(9);
        byte[] all = new byte[out.readableBytes()];
        out.readBytes(all);
        for (byte b : all) {
          raw.send(b);
        }
      });
      assertThat(raw.ack()).isEqualTo(1);
      assertThat(nic.imms).containsExactly(3);
      assertThat(WriteTest.bytes(sink.segment().asSlice(60))).containsExactly(8, 9, 0, 0);
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {-1, Long.MIN_VALUE, Long.MAX_VALUE, (256L << 20) + 1})
  void aWriteOfAnImpossibleLength(long length) {
    rejectedFrame(
        raw -> raw.writeHead(sink.local().key(), 0, length, null), Long.toUnsignedString(length));
  }

  @Test
  void aFrameOfNoType() {
    rejectedFrame(raw -> raw.send((byte) 99), "type 99");
  }

  @Test
  void anAcknowledgementOfNothing() {
    rejectedFrame(raw -> raw.send(out -> Wire.putAck(out, 1)), "at most 0 writes");
  }

  @Test
  void flagsThatDoNotExist() {
    rejectedFrame(
        raw ->
            raw.send(out -> {
              Wire.putWrite(out, true, 0, new MemoryKey(0, 0), 0, 0);
              out.setByte(1, 0x81);
            }),
        "flags");
  }

  @Test
  void anImmediateThatTheFlagsDeny() {
    rejectedFrame(
        raw ->
            raw.send(out -> {
              Wire.putWrite(out, true, 5, MemoryKey.decode(sink.local().key()), 0, 0);
              out.setByte(1, 0);
            }),
        "immediate");
    assertThat(nic.imms).isEmpty();
  }

  private void rejectedFrame(Consumer<RawConnection> send, String reason) {
    try (RawConnection raw = RawConnection.welcomedBy(nic)) {
      send.accept(raw);
      assertThat(raw.goodbye())
          .satisfies(why -> {
            assertThat(why.code()).isEqualTo(ErrorCode.PROTOCOL.value);
            assertThat(why.text()).contains(reason);
          });
      assertThat(raw.isAtEnd()).isTrue();
    }
    nic.awaitNobody();
    assertThat(nic.lost).isEmpty();
  }

  @Test
  void moreWritesThanTheEngineTakesAreNotRead() throws Exception {
    int count = 200_000;
    EventQueue events = ((TcpDomain) nic.domain).events();
    try (RawConnection raw = RawConnection.welcomedBy(nic)) {
      nic.pause();
      var flood = CompletableFuture.runAsync(() -> flood(raw, count));
      nic.awaitUntil(() -> nic.call(events::isFull));
      assertThat(nic.call(events::size)).isLessThan(count / 4);

      nic.resume();

      for (long acknowledged = 0; acknowledged < count; ) {
        acknowledged = raw.ack();
      }
      flood.get(10, TimeUnit.SECONDS);
      assertThat(nic.imms).as("arrivals").size().isEqualTo(count);
    }
  }

  private void flood(RawConnection raw, int count) {
    for (int i = 0; i < count; i += 1_000) {
      int first = i;
      raw.send(out -> {
        for (int j = 0; j < 1_000; j++) {
          MemoryKey key = MemoryKey.decode(sink.local().key());
          Wire.putWrite(out, true, first + j, key, 0, 0);
        }
      });
    }
  }

  @Test
  void acknowledgingWhatWasNeverWritten() throws IOException {
    target(raw -> raw.send(out -> Wire.putAck(out, 3)), "acknowledge");
  }

  @Test
  void acknowledgingANegativeCount() throws IOException {
    target(raw -> raw.send(out -> Wire.putAck(out, -1)), "acknowledge");
  }

  @Test
  void acknowledgingBeforeTheBytesWereSent() throws IOException {
    target(raw -> raw.send(out -> Wire.putAck(out, 2)), "before that");
  }

  @Test
  void refusingOutOfTurn() throws IOException {
    target(raw -> raw.send(out -> Wire.putNack(out, 2, ErrorCode.BOUNDS.because("no"))), "refuse");
  }

  @Test
  void aReasonWithoutEnd() throws IOException {
    target(
        raw -> raw.send(out -> out.writeByte(Wire.NACK).writeLong(1).writeShort(1).writeShort(-1)),
        "65535");
  }

  /** The NIC writes 8 bytes and then more than the socket takes, to a target that does this. */
  private void target(Consumer<RawConnection> misdeed, String reason) throws IOException {
    try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      int bytes = 64 << 20;
      var source = nic.register(bytes);
      RemoteMemory remote =
          nic.call(() ->
              nic.domain.resolve(
                  nic.domain.resolve(RawConnection.ID, 0, RawConnection.addressOf(server).encode()),
                  new byte[16],
                  bytes));
      nic.write(source, remote, 8, 1);
      nic.write(source, remote, bytes, 2);
      try (RawConnection raw = RawConnection.welcoming(server)) {
        raw.read(2 * Wire.WRITE_BYTES + 8);
        misdeed.accept(raw);
        var lost = nic.awaitLost();
        nic.awaitUntil(() -> nic.failed.size() + nic.written.size() == 2);
        assertThat(lost.code()).isEqualTo(ErrorCode.PROTOCOL.value);
        assertThat(lost.text()).contains(reason);
      }
    }
  }
}
