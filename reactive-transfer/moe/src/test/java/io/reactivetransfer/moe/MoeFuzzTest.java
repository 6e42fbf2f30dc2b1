package io.reactivetransfer.moe;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.fuzz.Fuzz;
import io.reactivetransfer.fuzz.Input;
import io.reactivetransfer.fuzz.Mutation;
import io.reactivetransfer.fuzz.Target;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Bytes of any kind are read as what they say, or refused, and lead nowhere out of the memory. */
@Timeout(7_200)
class MoeFuzzTest {

  private static final List<byte[]> MESSAGES =
      MoeCodecTest.MESSAGES.stream().map(MoeCodecTest::bytes).toList();

  @Test
  void messages() {
    Fuzz.run(Target.MOE_MESSAGES, MoeFuzzTest::message);
  }

  private static void message(Input in) {
    byte[] original = in.oneOf(MESSAGES);
    byte[] mutated = Mutation.some(in, original);
    byte[] bytes = in.chance(85) ? MoeCodecTest.sealed(mutated) : mutated;
    in.note(() -> HexFormat.of().formatHex(bytes));
    MoeMessage message;
    try {
      message = MoeCodec.decode(ByteBuffer.wrap(bytes));
    } catch (MoeFormatException e) {
      assertThat(Arrays.equals(bytes, original)).as("refuses what was written: %s", e).isFalse();
      assertThat(e).hasMessageStartingWith("not a message of experts: ");
      return;
    }
    assertThat(MoeCodecTest.bytes(message)).as("written again").isEqualTo(bytes);
  }

  @Test
  void routes() {
    Fuzz.run(Target.MOE_ROUTES, MoeFuzzTest::rows);
  }

  private static void rows(Input in) {
    RandomSteps random = new RandomSteps(in.below(1_000));
    MoeShape shape = random.shape(random.between(1, 5)).build();
    MemorySegment[] rows = new MemorySegment[shape.ranks()];
    for (int rank = 0; rank < rows.length; rank++) {
      OwnRouting own = new OwnRouting(shape, shape.groups().groupOf(rank));
      int tokens = random.tokens(shape);
      own.route(tokens, random.experts(shape, tokens));
      rows[rank] = RoutingPropertyTest.row(shape, 1, own);
      for (int changes = in.below(4); changes > 0; changes--) {
        change(in, rows[rank]);
      }
    }
    RouteTable table = new RouteTable(shape);
    if (table.read(rows, 1) != null || table.refusal() != null) {
      return;
    }
    for (int rank = 0; rank < rows.length; rank++) {
      MoeMemory memory = shape.memory(rank);
      int last = shape.groups().groups() - 1;
      assertThat(table.overflowSlot(last, rank) + table.overflowPairs(last, rank))
          .isBetween(0, memory.overflowSlots());
      for (int group = 0; group <= last; group++) {
        assertThat(table.pairs(group, rank)).isNotNegative();
        assertThat(table.privatePairs(group, rank)).isBetween(0, memory.privateSlots());
        assertThat(table.firstPair(group, rank) + table.pairs(group, rank))
            .isBetween(0, shape.maxPairs());
      }
      Arrangement arrangement = new Arrangement(shape, rank);
      arrangement.compute(table);
      assertThat(arrangement.received()).isBetween(0, memory.received());
      for (int expert = 0; expert < arrangement.experts(); expert++) {
        assertThat(arrangement.firstRow(expert) + arrangement.count(expert))
            .isBetween(0, shape.isInPlace() ? memory.received() : memory.tokenRows());
      }
    }
  }

  /** Often so that the sum stays the same, which is what the first look would see. */
  private static void change(Input in, MemorySegment row) {
    ValueLayout.OfInt i32 = ValueLayout.JAVA_INT_UNALIGNED;
    int ints = (int) row.byteSize() / Integer.BYTES;
    int one = 8 + in.below(ints - 8);
    int other = 8 + in.below(ints - 8);
    int delta = in.chance(80) ? in.below(20) : in.below(Integer.MAX_VALUE);
    row.setAtIndex(i32, one, row.getAtIndex(i32, one) + delta);
    row.setAtIndex(i32, other, row.getAtIndex(i32, other) - delta);
    if (in.chance(10)) {
      row.set(ValueLayout.JAVA_BYTE, in.below((int) row.byteSize()), (byte) in.below(256));
    }
  }
}
