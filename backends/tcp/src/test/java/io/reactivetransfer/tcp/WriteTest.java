package io.reactivetransfer.tcp;

import static java.nio.file.StandardOpenOption.CREATE_NEW;
import static java.nio.file.StandardOpenOption.READ;
import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.Access;
import io.reactivetransfer.CompletionLevel;
import io.reactivetransfer.Device;
import io.reactivetransfer.control.socket.ErrorCode;
import io.reactivetransfer.spi.Operation;
import io.reactivetransfer.spi.RemoteMemory;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WriteTest {

  private static final int DEPTH = 8;

  private TestNic origin;
  private TestNic target;

  @BeforeEach
  void open() {
    origin = new TestNic(new TcpBackend(), DEPTH, Duration.ofSeconds(10));
    target = new TestNic();
  }

  @AfterEach
  void close() {
    origin.close();
    target.close();
  }

  @Test
  void declaresWhatItCanDo() {
    var capabilities = origin.call(origin.domain::capabilities);

    assertThat(capabilities.completion()).isEqualTo(CompletionLevel.DELIVERED);
    assertThat(capabilities.queueDepth()).isEqualTo(DEPTH);
    assertThat(capabilities.devices()).containsExactly(Device.HOST);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 500, 100_000})
  void reachesAllOfAMemoryThatIsLongerThanABuffer(int length, @TempDir Path directory)
      throws IOException {
    long size = 3L << 30;
    try (Arena arena = Arena.ofShared();
        FileChannel sparse =
            FileChannel.open(
                directory.resolve("sparse"), CREATE_NEW, READ, StandardOpenOption.WRITE)) {
      MemorySegment segment = sparse.map(FileChannel.MapMode.READ_WRITE, 0, size, arena);
      var large = origin.register(segment, Access.REMOTE_WRITE);
      var small = target.register(length);
      RemoteMemory remote = origin.remote(target, small);
      RemoteMemory back = target.remote(origin, large);
      long token = 0;
      for (long offset :
          new long[] {
            0, (1L << 30) - length / 2, 1L << 30, (1L << 31) - length / 2, size - length
          }) {
        filled(new TestNic.Registered(segment.asSlice(offset, length), large.local()), ++token);
        origin.write(
            new Operation().between(large.local(), remote).range(offset, 0, length).token(token));
        origin.awaitWritten((int) token);
        assertThat(small.segment().mismatch(segment.asSlice(offset, length))).isEqualTo(-1);
        segment.asSlice(offset, length).fill((byte) 0);
        target.write(
            new Operation().between(small.local(), back).range(0, offset, length).token(token));
        target.awaitWritten((int) token);
        assertThat(small.segment().mismatch(segment.asSlice(offset, length))).isEqualTo(-1);
      }
      origin.write(new Operation().between(large.local(), remote).range(size, 0, 0).token(++token));
      origin.awaitWritten((int) token);
      origin.run(() -> origin.domain.deregister(large.local()));
    }
  }

  @Test
  void writesBytesToTheirPlace() {
    var source = filled(origin.register(1_000, Access.LOCAL), 1);
    var sink = filled(target.register(2_000), 2);
    byte[] before = bytes(sink.segment());

    origin.write(
        new Operation()
            .between(source.local(), origin.remote(target, sink))
            .range(100, 700, 300)
            .token(42));

    assertThat(origin.awaitWritten(1)).containsExactly(42L);
    assertThat(bytes(sink.segment().asSlice(700, 300)))
        .isEqualTo(bytes(source.segment().asSlice(100, 300)));
    assertThat(bytes(sink.segment().asSlice(0, 700)))
        .isEqualTo(java.util.Arrays.copyOf(before, 700));
    assertThat(bytes(sink.segment().asSlice(1_000)))
        .isEqualTo(java.util.Arrays.copyOfRange(before, 1_000, 2_000));
    assertThat(target.imms).isEmpty();
  }

  @Test
  void anImmediateComesWithItsBytes() {
    var source = filled(origin.register(4_096), 3);
    var sink = target.register(4_096);

    origin.write(
        new Operation()
            .between(source.local(), origin.remote(target, sink))
            .range(0, 0, 4_096)
            .withImm(0xffff_fffe)
            .token(1));

    target.awaitUntil(() -> !target.imms.isEmpty());
    assertThat(target.imms).containsExactly(0xffff_fffe);
    assertThat(sink.segment().mismatch(source.segment())).isEqualTo(-1);
    assertThat(origin.awaitWritten(1)).containsExactly(1L);
  }

  @Test
  void writesNothingButAnImmediate() {
    var source = origin.register(1);
    var sink = target.register(1);

    origin.write(
        new Operation()
            .between(source.local(), origin.remote(target, sink))
            .range(1, 1, 0)
            .withImm(7)
            .token(9));

    assertThat(origin.awaitWritten(1)).containsExactly(9L);
    assertThat(target.imms).containsExactly(7);
  }

  @Test
  void aLargeWriteArrivesWhole() {
    long length = 64L << 20;
    var source = filled(origin.register(length), 4);
    var sink = target.register(length);

    origin.write(source, origin.remote(target, sink), length, 5);

    assertThat(origin.awaitWritten(1)).containsExactly(5L);
    assertThat(sink.segment().mismatch(source.segment())).isEqualTo(-1);
  }

  @Test
  void manyWritesRespectTheDepthAndAllArrive() {
    int count = 5_000;
    var source = filled(origin.register(count * 8L), 5);
    var sink = target.register(count * 8L);
    RemoteMemory remote = origin.remote(target, sink);

    for (int i = 0; i < count; i++) {
      origin.write(
          new Operation()
              .between(source.local(), remote)
              .range(i * 8L, i * 8L, 8)
              .withImm(i)
              .token(i));
    }

    assertThat(origin.awaitWritten(count))
        .containsExactlyElementsOf(LongStream.range(0, count).boxed().toList());
    assertThat(target.imms).containsExactlyElementsOf(IntStream.range(0, count).boxed().toList());
    assertThat(sink.segment().mismatch(source.segment())).isEqualTo(-1);
    assertThat(origin.mostInFlight.get()).isEqualTo(DEPTH);
    assertThat(origin.refusals.get()).isPositive();
  }

  @Test
  void aFullOutboundBufferRefusesAndRingsWhenItHasRoom() {
    long length = 8L << 20;
    var source = filled(origin.register(length), 6);
    var sink = target.register(length);
    RemoteMemory remote = origin.remote(target, sink);
    origin.write(source, remote, 0, 0);
    origin.awaitWritten(1);

    List<Boolean> taken =
        origin.call(() -> {
          var op = new Operation().between(source.local(), remote).range(0, 0, length);
          return List.of(origin.domain.post(op).isTaken(), origin.domain.post(op).isTaken());
        });
    origin.write(source, remote, length, 3);

    assertThat(taken).containsExactly(true, false);
    assertThat(origin.awaitWritten(3)).containsExactly(0L, 0L, 3L);
  }

  @Test
  void refusesUntilConnectedAndThenRings() {
    var source = origin.register(8);
    RemoteMemory remote = origin.remote(target, target.register(8));

    boolean first =
        origin.call(() ->
            origin
                .domain
                .post(new Operation().between(source.local(), remote).range(0, 0, 8))
                .isTaken());
    origin.write(source, remote, 8, 1);

    assertThat(first).isFalse();
    assertThat(origin.awaitWritten(1)).containsExactly(1L);
  }

  @Test
  void bothDirectionsAtOnce() {
    int count = 500;
    var here = filled(origin.register(64), 7);
    var there = filled(target.register(64), 8);
    RemoteMemory fromHere = origin.remote(target, target.register(64));
    RemoteMemory fromThere = target.remote(origin, origin.register(64));

    for (int i = 0; i < count; i++) {
      origin.write(new Operation().between(here.local(), fromHere).range(0, 0, 64).withImm(i));
      target.write(new Operation().between(there.local(), fromThere).range(0, 0, 64).withImm(i));
    }

    origin.awaitWritten(count);
    target.awaitWritten(count);
    assertThat(origin.imms).hasSize(count);
    assertThat(target.imms).hasSize(count);
  }

  @Test
  void whatItWouldWriteToItselfFailsAtOnce() {
    var source = filled(origin.register(128), 9);
    var sink = origin.register(128);

    origin.write(source, origin.remote(origin, sink), 128, 1);

    assertThat(origin.awaitFailed().code()).isEqualTo(ErrorCode.WRONG_ENGINE.value);
    assertThat(bytes(sink.segment())).containsOnly(0);
  }

  static TestNic.Registered filled(TestNic.Registered memory, long seed) {
    byte[] bytes = new byte[(int) memory.segment().byteSize()];
    new Random(seed).nextBytes(bytes);
    MemorySegment.copy(bytes, 0, memory.segment(), ValueLayout.JAVA_BYTE, 0, bytes.length);
    return memory;
  }

  static byte[] bytes(MemorySegment segment) {
    return segment.toArray(ValueLayout.JAVA_BYTE);
  }
}
