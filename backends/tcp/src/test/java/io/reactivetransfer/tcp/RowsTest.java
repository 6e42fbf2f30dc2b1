package io.reactivetransfer.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.reactivetransfer.Access;
import io.reactivetransfer.control.socket.ErrorCode;
import io.reactivetransfer.spi.Operation;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Writes whose bytes are rows, with gaps on both sides. */
class RowsTest {

  private static final int SOURCE_OFFSET = 100;
  private static final int SINK_OFFSET = 33;

  private TestNic origin;
  private TestNic target;

  @BeforeEach
  void open() {
    origin = new TestNic();
    target = new TestNic();
  }

  @AfterEach
  void close() {
    origin.close();
    target.close();
  }

  @ParameterizedTest
  @CsvSource({
    // rows, their length, their strides: in one batch, in parts, read straight to their place
    "2, 1, 1, 1",
    "8, 4096, 5000, 4096",
    "7, 13, 64, 17",
    "4096, 1, 3, 2",
    "4096, 100, 101, 150",
    "100, 655, 700, 655",
    "16, 4096, 4096, 4200",
    "9, 8000, 9000, 8100",
    "5, 70000, 70001, 90000",
    "3, 300000, 300000, 300001"
  })
  void comeToTheirPlacesAndTouchNothingElse(int rows, int length, int from, int to) {
    var source = WriteTest.filled(origin.register(SOURCE_OFFSET + (long) rows * from + length), 1);
    var sink = WriteTest.filled(target.register(SINK_OFFSET + (long) rows * to + length), 2);
    byte[] expected = WriteTest.bytes(sink.segment());
    byte[] bytes = WriteTest.bytes(source.segment());
    for (int row = 0; row < rows; row++) {
      System.arraycopy(bytes, SOURCE_OFFSET + row * from, expected, SINK_OFFSET + row * to, length);
    }
    Operation op =
        new Operation()
            .between(source.local(), origin.remote(target, sink))
            .range(SOURCE_OFFSET, SINK_OFFSET, (long) rows * length)
            .inRows(rows, from, to)
            .withImm(5)
            .token(42);

    origin.write(op);
    origin.write(new Operation().between(op.local(), op.remote()).range(0, 0, 1).token(43));

    expected[0] = bytes[0];
    assertThat(origin.awaitWritten(2)).containsExactly(42L, 43L);
    assertThat(target.imms).containsExactly(5);
    assertThat(Arrays.mismatch(WriteTest.bytes(sink.segment()), expected)).isEqualTo(-1);
    assertThat(Arrays.equals(WriteTest.bytes(source.segment()), bytes)).isTrue();
  }

  /** Some twice, some behind others that lie after them, some one behind the other. */
  @ParameterizedTest
  @CsvSource({
    // rows, their length, the strides: in one batch, copied in parts, given to the socket in place
    "2, 1, 1, 1",
    "8, 4096, 5000, 4096",
    "7, 13, 64, 17",
    "4096, 100, 101, 100",
    "4096, 100, 101, 150",
    "200, 2048, 2048, 2048",
    "256, 7392, 7392, 7392",
    "256, 7392, 7400, 7424",
    "4096, 4096, 4096, 4096",
    "5, 70000, 70001, 90000",
    "5, 70000, 70000, 70000",
    "3, 1300000, 1300000, 1300000"
  })
  void thatAreGatheredComeInTheOrderOfTheirList(int rows, int length, int from, int to) {
    var source = WriteTest.filled(origin.register(SOURCE_OFFSET + (long) rows * from + length), 1);
    var sink = WriteTest.filled(target.register(SINK_OFFSET + (long) rows * to + length), 2);
    byte[] expected = WriteTest.bytes(sink.segment());
    byte[] bytes = WriteTest.bytes(source.segment());
    Random random = new Random(rows * 31L + length);
    int[] list = new int[3 + rows];
    Operation op = new Operation().between(source.local(), origin.remote(target, sink));
    for (int write = 1; write <= 3; write++) {
      for (int row = 0; row < rows; row++) {
        boolean isNext = row > 0 && random.nextInt(3) > 0;
        int number = isNext ? (list[2 + row] + 1) % rows : random.nextInt(rows);
        list[3 + row] = number;
        System.arraycopy(
            bytes, SOURCE_OFFSET + number * from, expected, SINK_OFFSET + row * to, length);
      }
      op.range(SOURCE_OFFSET, SINK_OFFSET, (long) rows * length)
          .gathering(list, 3, rows, from, to)
          .withImm(write)
          .token(42 + write);

      origin.write(op);

      assertThat(origin.awaitWritten(write)).hasSize(write).endsWith(42L + write);
      assertThat(target.imms).hasSize(write).endsWith(write);
      assertThat(Arrays.mismatch(WriteTest.bytes(sink.segment()), expected)).isEqualTo(-1);
    }
    assertThat(Arrays.equals(WriteTest.bytes(source.segment()), bytes)).isTrue();
  }

  /** Rows of a length that the socket reads straight to its place, in pieces of any length. */
  @Test
  void comeToTheirPlacesHoweverTheyAreCut() {
    int length = 150_000;
    int stride = 160_000;
    int rows = 3;
    var sink = target.register((long) rows * stride);
    Random random = new Random(1);
    byte[] expected = WriteTest.bytes(sink.segment());
    try (RawConnection raw = RawConnection.welcomedBy(target)) {
      for (int i = 1; i <= 20; i++) {
        byte[] bytes = new byte[rows * length];
        random.nextBytes(bytes);
        raw.send(out -> putRows(out, sink.local().key(), 0, (long) rows * length, rows, stride));
        byte[] sent = RawConnection.inParts(bytes);
        for (int at = 0; at < sent.length; ) {
          int to = Math.min(sent.length, at + 1 + random.nextInt(i % 2 == 0 ? 1_000 : 200_000));
          raw.send(Arrays.copyOfRange(sent, at, to));
          at = to;
        }
        for (int row = 0; row < rows; row++) {
          System.arraycopy(bytes, row * length, expected, row * stride, length);
        }
        assertThat(raw.ack()).isEqualTo(i);
        assertThat(Arrays.mismatch(WriteTest.bytes(sink.segment()), expected)).isEqualTo(-1);
      }
    }
  }

  private static void putRows(
      ByteBuf out, byte[] key, long offset, long length, int rows, long stride) {
    int begin = out.writerIndex();
    Wire.putWrite(out, true, 7, MemoryKey.decode(key), offset, length);
    out.setByte(begin, Wire.ROWS).writeInt(rows).writeLong(stride);
  }

  @ParameterizedTest
  @CsvSource({
    "0, 10, 31",
    "71, 10, 10",
    "-1, 10, 10",
    "0, 10, 9223372036854775807",
    "9223372036854775807, 10, 10",
    "1, 10, 3074457345618258602",
    "0, 10, 6148914691236517205"
  })
  void outsideOfTheMemoryAreRefusedAndNothingElseIs(long offset, int length, long stride) {
    var source = WriteTest.filled(origin.register(1_000), 1);
    var sink = target.register(100);
    Operation op =
        new Operation()
            .between(source.local(), origin.remote(target, sink))
            .range(0, offset, 4L * length)
            .inRows(4, 20, stride)
            .withImm(1)
            .token(5);
    origin.write(op);
    assertThat(origin.awaitFailed())
        .satisfies(failed -> {
          assertThat(failed.token()).isEqualTo(5);
          assertThat(failed.code()).isEqualTo(ErrorCode.BOUNDS.value);
        });
    assertThat(WriteTest.bytes(sink.segment())).containsOnly(0);

    origin.write(op.copy().range(0, 0, 40).inRows(4, 20, 30).token(6));
    assertThat(origin.awaitWritten(1)).containsExactly(6L);
    assertThat(target.imms).containsExactly(1);
    assertThat(origin.lost).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "40, 1, 10, rows", "40, 0, 10, rows", "40, -4, 10, rows", "8194, 4097, 2, rows",
    "0, 2, 10, rows", "41, 4, 11, rows", "40, 4, 9, stride", "40, 4, -1, stride",
    "40, 4, -9223372036854775808, stride", "268435460, 4, 100000000, 268435460"
  })
  void thatCannotBeEndTheConnection(long length, int rows, long stride, String why) {
    var sink = target.register(100);
    try (RawConnection raw = RawConnection.welcomedBy(target)) {
      raw.send(out -> putRows(out, sink.local().key(), 0, length, rows, stride));
      assertThat(raw.goodbye())
          .satisfies(goodbye -> {
            assertThat(goodbye.code()).isEqualTo(ErrorCode.PROTOCOL.value);
            assertThat(goodbye.text()).contains(why);
          });
    }
    target.awaitNobody();
    assertThat(WriteTest.bytes(sink.segment())).containsOnly(0);
  }

  @Test
  void aTargetThatDeclaresRowsTakesSoMany() {
    assertThat(target.call(target.domain::capabilities).maxRows()).isEqualTo(4_096);
  }

  @ParameterizedTest
  @CsvSource({"10, 100", "100, 10000"})
  void ofAFileThatWasCutOffFail(int rows, int length, @TempDir Path folder) throws IOException {
    int bytes = 2_000_000;
    try (Arena arena = Arena.ofShared();
        FileChannel file =
            FileChannel.open(
                folder.resolve("pages"),
                StandardOpenOption.CREATE,
                StandardOpenOption.READ,
                StandardOpenOption.WRITE)) {
      MemorySegment mapped = file.map(MapMode.READ_WRITE, 0, bytes, arena);
      var source = origin.register(mapped, Access.LOCAL);
      var remote = origin.remote(target, target.register(bytes));
      Operation op =
          new Operation()
              .between(source.local(), remote)
              .range(bytes / 2, 0, (long) rows * length)
              .inRows(rows, length, length + 5L);
      origin.write(op.copy().token(1));
      origin.awaitWritten(1);
      file.truncate(0);
      origin.write(op.copy().token(2));
      assertThat(origin.awaitFailed().code()).isEqualTo(ErrorCode.MEMORY_GONE.value);
      assertThat(origin.awaitFailed().text()).contains("source", "was cut off");
      origin.write(
          new Operation().between(origin.register(9).local(), remote).range(0, 0, 9).token(3));
      assertThat(origin.awaitWritten(2)).containsExactly(1L, 3L);
      assertThat(origin.lost).isEmpty();
    }
  }

  /** What was copied at once is on its way; the rest is given up, and only that write fails. */
  @Test
  void ofMemoryThatIsFreedHalfWayFail() {
    Arena arena = Arena.ofShared();
    int length = 1_000_000;
    var source = origin.register(arena.allocate(length), Access.LOCAL);
    var sound = origin.register(9);
    var remote = origin.remote(target, target.register(length));
    origin.write(sound, remote, 9, 8);
    origin.awaitWritten(1);
    Operation op = new Operation().between(source.local(), remote);
    origin.run(() -> {
      for (int token = 1; token <= 4; token++) {
        op.range(0, 0, length).inRows(10, 1, 100_000).token(token);
        assertThat(origin.domain.post(op).isTaken()).isTrue();
      }
      arena.close();
    });
    origin.awaitUntil(() -> origin.failed.size() == 4);
    assertThat(origin.failed)
        .allSatisfy(failed -> assertThat(failed.code()).isEqualTo(ErrorCode.MEMORY_GONE.value));
    origin.write(sound, remote, 9, 9);
    assertThat(origin.awaitWritten(2)).containsExactly(8L, 9L);
    assertThat(origin.lost).isEmpty();
  }
}
