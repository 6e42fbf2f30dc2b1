package io.reactivetransfer.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.spi.Operation;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.Random;
import java.util.stream.IntStream;

/** Writes rows of lists over one NIC, and knows what the target's memory should be then. */
final class GatheredRows {

  private static final long LENGTH = DriverLimitRules.ROWS_LENGTH;

  /** More rows at once are not tried. */
  private static final int MOST_TRIED = 60_000;

  /** Where row 0 begins within the source. */
  private static final long FROM = 7;

  /** By how much each write begins behind the one before it at the target. */
  private static final long STEP = 13;

  /** Numbers that stand in the list before those of the operation, and behind them. */
  private static final int BESIDE = 3;

  /**
   * What rows are like.
   *
   * @param length bytes of each
   * @param sourceStride from one number to the next
   * @param targetStride from one row to the next, at least the length
   */
  private record Shape(long length, long sourceStride, long targetStride) {

    /** How many rows of the source there are. */
    int kinds() {
      return (int) ((LENGTH - FROM - length) / sourceStride) + 1;
    }

    /** How many rows there is room for at the target, wherever the first one is. */
    long room() {
      return (LENGTH / 2 - length) / targetStride + 1;
    }
  }

  private final Wire wire;
  private final int most;
  private final long longest;
  private final Random random;
  private final MemorySegment expected;
  private int written;

  /**
   * Over a NIC that is connected.
   *
   * @param most rows that it gathers at once
   */
  GatheredRows(Wire wire, int most, Random random) {
    this.wire = wire;
    this.most = Math.min(most, MOST_TRIED);
    this.longest = wire.atMost(LENGTH);
    this.random = random;
    this.expected = MemorySegment.ofArray(wire.to().toArray(ValueLayout.JAVA_BYTE));
  }

  /** Rows of all lengths, close together and far apart, in any order and number. */
  void write() {
    write(new Shape(8, 900, 8), 3, 1); // at a stride of which the second would be another row
    write(new Shape(8, 900, 20), 5, 5);
    for (Shape shape :
        new Shape[] {
          new Shape(1, 3, 1),
          new Shape(1, 1, 5),
          new Shape(16, 40, 16),
          new Shape(700, 700, 1_001),
          new Shape(4_096, 5_000, 4_097),
          new Shape(70_000, 70_001, 70_000)
        }) {
      long length = Math.min(shape.length(), Math.max(1, longest / 2));
      Shape each = new Shape(length, shape.sourceStride(), shape.targetStride());
      int kinds = each.kinds();
      int count = (int) Math.min(Math.min(most, longest / length), each.room());
      write(each, IntStream.range(0, count).map(row -> kinds - 1 - row % kinds).toArray());
      write(each, random.ints(count, 0, kinds).toArray());
      write(each, random.ints(Math.min(count, 9), 0, Math.min(3, kinds)).toArray());
    }
  }

  /** Writes these rows, and requires that they, and no others, are there when that is told. */
  private void write(Shape shape, int... rows) {
    int token = ++written;
    long to = STEP * token;
    for (int i = 0; i < rows.length; i++) {
      long from = FROM + rows[i] * shape.sourceStride();
      MemorySegment.copy(
          wire.from(), from, expected, to + i * shape.targetStride(), shape.length());
    }
    int[] list = new int[rows.length + 2 * BESIDE];
    System.arraycopy(rows, 0, list, BESIDE, rows.length);
    Operation op =
        wire.write(FROM, to, rows.length * shape.length(), token)
            .withImm(token)
            .gathering(list, BESIDE, rows.length, shape.sourceStride(), shape.targetStride());
    wire.post(op);
    Arrays.fill(list, 0); // what was posted was copied, with its list
    if (token % 2 == 0) {
      op.range(0, 0, 0).token(4_711);
    }
    String imm = "imm " + token;
    wire.until("the immediate of gathered rows", () -> wire.target().hasReported(imm));
    assertThat(wire.to().mismatch(expected))
        .as("first byte that differs when %s listed rows were counted, %s", rows.length, shape)
        .isEqualTo(-1);
    String done = "written " + token;
    wire.until("a report of gathered rows", () -> wire.origin().hasReported(done));
  }

  /** Each was told once so far, and no other byte has changed. */
  void requireToldOnce() {
    assertThat(wire.origin().reported()).as("reports").isEqualTo(1 + written);
    assertThat(wire.target().reports()).as("immediates").hasSize(written);
    assertThat(wire.to().mismatch(expected)).as("first byte that has changed").isEqualTo(-1);
  }
}
