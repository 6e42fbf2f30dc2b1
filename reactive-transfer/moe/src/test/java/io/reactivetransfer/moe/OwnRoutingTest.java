package io.reactivetransfer.moe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import org.junit.jupiter.api.Test;

class OwnRoutingTest {

  private static final MoeShape SHAPE =
      MoeShape.builder(ExpertPlacement.even(2, 4), 2, 3, 8, 4).maxReceived(5).build();

  private static void refused(int tokens, String message, int... experts) {
    assertThatThrownBy(() -> new OwnRouting(SHAPE, 0).route(tokens, experts))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(message);
  }

  private static MemorySegment[] rows(int[]... experts) {
    MemorySegment[] rows = new MemorySegment[experts.length];
    for (int rank = 0; rank < rows.length; rank++) {
      OwnRouting own = new OwnRouting(SHAPE, rank);
      own.route(experts[rank].length / 2, experts[rank]);
      rows[rank] = RoutingPropertyTest.row(SHAPE, 9, own);
    }
    return rows;
  }

  @Test
  void refusesExpertsWithTheirIndex() {
    refused(1, "expected experts of 0 to 3, got 4 as number 1 of token 0", 0, 4);
    refused(2, "expected experts of 0 to 3, got -1 as number 0 of token 1", 0, 1, -1, 2);
    refused(
        2,
        "expected different experts for each token, got expert 2 twice for token 1,"
            + " the second time as number 1",
        0,
        1,
        2,
        2);
    refused(4, "expected tokens of 0 to 3, got 4", 0, 1, 0, 1, 0, 1, 0, 1);
    refused(2, "expected 2 experts for each of 2 tokens, got 3 in all", 0, 1, 2);
  }

  @Test
  void whatExceedsTheBoundIsRefusedWithTheSameWordsForAll() {
    RouteTable table = new RouteTable(SHAPE);
    MemorySegment[] rows = rows(new int[] {2, 3, 3, 2}, new int[] {2, 3});
    assertThat(table.read(rows, 9)).isNull();
    assertThat(table.refusal())
        .isEqualTo(
            "expected at most 5 tokens for rank 1, got 6;"
                + " a greater maxReceived takes them, at the price of memory");
    MemorySegment[] fewer = rows(new int[] {2, 3, 3, 1}, new int[] {2, 3});
    assertThat(table.read(fewer, 9)).isNull();
    assertThat(table.refusal()).isNull();
  }

  @Test
  void membersOfAGroupThatHaveOtherExpertsAreRefusedByAll() {
    MoeShape shape =
        MoeShape.builder(ExpertPlacement.even(3, 4), 2, 3, 8, 4)
            .groups(RankGroups.of(0, 1, 1))
            .build();
    MemorySegment[] rows = new MemorySegment[3];
    int[][] experts = {{0, 1}, {0, 1}, {1, 0}};
    for (int rank = 0; rank < 3; rank++) {
      OwnRouting own = new OwnRouting(shape, shape.groups().groupOf(rank));
      own.route(1, experts[rank]);
      rows[rank] = RoutingPropertyTest.row(shape, 1, own);
    }
    RouteTable table = new RouteTable(shape);
    assertThat(table.read(rows, 1)).isNull();
    // The counts are the same; which token goes where is not.
    assertThat(table.refusal()).startsWith("expected ranks 1 and 2, which are of one group");
  }

  /** Its writer still has the key to it. */
  @Test
  void whatIsWrittenToARowThatWasReadChangesNothing() {
    MoeShape shape =
        MoeShape.builder(ExpertPlacement.even(2, 4), 2, 3, 8, 4)
            .groups(RankGroups.of(0, 0))
            .build();
    MemorySegment[] rows = new MemorySegment[2];
    for (int rank = 0; rank < 2; rank++) {
      OwnRouting own = new OwnRouting(shape, 0);
      own.route(1, new int[] {0, 1});
      rows[rank] = RoutingPropertyTest.row(shape, 1, own);
    }
    RouteTable table = new RouteTable(shape);
    assertThat(table.read(rows, 1)).isNull();
    rows[1].fill((byte) -1);
    assertThat(table.refusal()).isNull();
  }

  @Test
  void rowsThatAreNoneOfThisStepAreRefusedByTheirRank() {
    RouteTable table = new RouteTable(SHAPE);
    MemorySegment[] rows = rows(new int[] {2, 3}, new int[] {0, 1});
    assertThat(table.read(rows, 10))
        .isEqualTo(new RouteTable.BadRow(0, "expected the row of step 10, got 9"));
    ValueLayout.OfInt i32 = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    rows[1].set(i32, 32 + 4, -1);
    assertThat(table.read(rows, 9))
        .isEqualTo(new RouteTable.BadRow(1, "expected 0 to 1 tokens for instance 1, got -1"));
    rows[1].set(i32, 32 + 4, 0);
    assertThat(table.read(rows, 9))
        .isEqualTo(new RouteTable.BadRow(1, "expected 1 tokens for 2 experts each, got 1"));
    rows[1].set(i32, 8, 4);
    assertThat(table.read(rows, 9))
        .isEqualTo(new RouteTable.BadRow(1, "expected 0 to 3 tokens, got 4"));
    rows[1].set(i32, 12, 5);
    assertThat(table.read(rows, 9))
        .isEqualTo(new RouteTable.BadRow(1, "expected counts of 4 instances, got 5"));
    rows[1].set(i32, 24, 2);
    assertThat(table.read(rows, 9))
        .isEqualTo(new RouteTable.BadRow(1, "expected a row of version 1, got 2"));
  }
}
