package io.reactivetransfer.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.ChannelConfig;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.embedded.EmbeddedChannel;
import io.reactivetransfer.Access;
import io.reactivetransfer.control.socket.ErrorCode;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Writes that are long enough for the socket to read them straight to their place. */
class DirectReadTest {

  private static final int LENGTH = 300_000;
  private static final int OFFSET = 1_000;

  private TestNic target;

  @BeforeEach
  void open() {
    target = new TestNic();
  }

  @AfterEach
  void close() {
    target.close();
  }

  private static byte[] random(int length, long seed) {
    byte[] bytes = new byte[length];
    new Random(seed).nextBytes(bytes);
    return bytes;
  }

  private void awaitByte(MemorySegment segment, long offset, byte value) {
    target.awaitUntil(() -> segment.get(ValueLayout.JAVA_BYTE, offset) == value);
  }

  @Test
  void landInTheirRangeHoweverTheyAreCut() {
    var sink = target.register(LENGTH + 2 * OFFSET);
    sink.segment().fill((byte) 7);
    Random cuts = new Random(1);
    try (RawConnection raw = RawConnection.welcomedBy(target)) {
      for (int i = 1; i <= 20; i++) {
        byte[] bytes = random(LENGTH, i);
        raw.writeHead(sink.local().key(), OFFSET, LENGTH, i);
        byte[] sent = RawConnection.inParts(bytes);
        for (int from = 0; from < sent.length; ) {
          int to = Math.min(sent.length, from + 1 + cuts.nextInt(i % 2 == 0 ? 1_000 : 200_000));
          raw.send(Arrays.copyOfRange(sent, from, to));
          from = to;
        }
        assertThat(raw.ack()).isEqualTo(i);
        byte[] there = WriteTest.bytes(sink.segment());
        assertThat(Arrays.equals(there, OFFSET, OFFSET + LENGTH, bytes, 0, LENGTH)).isTrue();
        assertThat(there).startsWith(new byte[] {7, 7}).endsWith((byte) 7, (byte) 7);
        assertThat(there[OFFSET - 1]).isEqualTo((byte) 7);
        assertThat(there[OFFSET + LENGTH]).isEqualTo((byte) 7);
      }
    }
    assertThat(target.imms).hasSize(20);
  }

  @Test
  void stopWhereTheyAreWhenTheMemoryIsRevoked() {
    var sink = target.register(LENGTH);
    byte[] bytes = random(LENGTH, 1);
    bytes[LENGTH / 2 - 1] = 5;
    try (RawConnection raw = RawConnection.welcomedBy(target)) {
      raw.writeHead(sink.local().key(), 0, LENGTH, 5);
      raw.send(RawConnection.inParts(Arrays.copyOf(bytes, LENGTH / 2)));
      awaitByte(sink.segment(), LENGTH / 2 - 1, (byte) 5);

      target.run(() -> target.domain.revoke(sink.local()));
      sink.segment().fill((byte) 9);
      raw.send(RawConnection.more(Arrays.copyOfRange(bytes, LENGTH / 2, LENGTH)));

      assertThat(raw.nack(1).code()).isEqualTo(ErrorCode.REVOKED.value);
      assertThat(WriteTest.bytes(sink.segment())).containsOnly(9);
    }
    assertThat(target.imms).isEmpty();
  }

  @Test
  void areRefusedWhenTheMemoryIsGone() {
    Arena arena = Arena.ofShared();
    MemorySegment segment = arena.allocate(LENGTH);
    var sink = target.register(segment, Access.REMOTE_WRITE);
    byte[] bytes = new byte[LENGTH];
    bytes[LENGTH / 2 - 1] = 5;
    try (RawConnection raw = RawConnection.welcomedBy(target)) {
      raw.writeHead(sink.local().key(), 0, LENGTH, 5);
      raw.send(RawConnection.inParts(Arrays.copyOf(bytes, LENGTH / 2)));
      awaitByte(segment, LENGTH / 2 - 1, (byte) 5);

      arena.close();
      raw.send(RawConnection.more(Arrays.copyOfRange(bytes, LENGTH / 2, LENGTH)));

      assertThat(raw.nack(1).code()).isEqualTo(ErrorCode.MEMORY_GONE.value);
    }
    assertThat(target.imms).isEmpty();
  }

  /** One that is read alone is answered after each read. */
  @Test
  void areReadAsOftenInATurnAsOthersWaitAndNotBehindAStop() {
    AtomicInteger most = new AtomicInteger(1);
    ChannelConfig config = new EmbeddedChannel().config();
    DirectRead reads = new DirectRead(new FixedRecvByteBufAllocator(64), () -> null, most::get);
    var handle = (RecvByteBufAllocator.ExtendedHandle) reads.newHandle();
    handle.reset(config);
    assertThat(handle.continueReading(() -> true)).isFalse();

    most.set(3);
    handle.reset(config);
    assertThat(handle.continueReading(() -> true)).isTrue();
    assertThat(handle.continueReading(() -> true)).isTrue();
    assertThat(handle.continueReading(() -> true)).isFalse();

    handle.reset(config);
    assertThat(handle.continueReading(() -> false)).as("there is no more").isFalse();
    config.setAutoRead(false);
    assertThat(handle.continueReading(() -> true)).as("the events are full").isFalse();
  }

  @Test
  void thatBreakOffLeaveTheRest() {
    var sink = target.register(LENGTH);
    byte[] bytes = random(LENGTH / 2, 1);
    bytes[LENGTH / 2 - 1] = 5;
    try (RawConnection raw = RawConnection.welcomedBy(target)) {
      raw.writeHead(sink.local().key(), 0, LENGTH, 5);
      raw.send(RawConnection.inParts(bytes));
      awaitByte(sink.segment(), LENGTH / 2 - 1, (byte) 5);
      raw.reset();
    }
    target.awaitNobody();
    assertThat(target.imms).isEmpty();
    assertThat(WriteTest.bytes(sink.segment().asSlice(LENGTH / 2))).containsOnly(0);
  }
}
