package io.reactivetransfer.weights.plan;

import static io.reactivetransfer.weights.plan.Fixture.columns;
import static io.reactivetransfer.weights.plan.Fixture.rows;
import static io.reactivetransfer.weights.plan.Fixture.tensor;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivetransfer.weights.Box;
import io.reactivetransfer.weights.Content;
import io.reactivetransfer.weights.DataType;
import io.reactivetransfer.weights.Piece;
import io.reactivetransfer.weights.Place;
import io.reactivetransfer.weights.Rank;
import io.reactivetransfer.weights.RegionSpec;
import io.reactivetransfer.weights.TargetRank;
import io.reactivetransfer.weights.TargetShare;
import io.reactivetransfer.weights.Tensor;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** A rank has another one have each of its bytes, at the same place, and no other ones. */
class FillTableTest {

  private static final int MODELS = Integer.getInteger("reactivetransfer.rounds", 1) > 1 ? 200 : 20;
  private static final Tensor W = tensor("w", DataType.FP8_E4M3, 8, 4);
  private static final Tensor V = tensor("v", DataType.BF16, 8, 4);

  private static TargetRank named(String name, TargetRank like) {
    Rank rank = like.rank();
    return new TargetRank(new Rank(name, rank.regions(), rank.nics()), like.tensors());
  }

  /** Does what the table says, and counts how often each byte of one of its ranks is written. */
  private static byte[][] filled(RoutingTable table, int target, byte[][] from, byte[][] written) {
    byte[][] to = Rehearsal.memory(table.targets().get(target));
    for (Step step : table.steps(0)) {
      assertThat(step).isInstanceOf(Step.Write.class);
      Runs runs = step.runs();
      for (int run = 0; run < runs.size(); run++) {
        assertThat(runs.targetRanks(run)).contains(target);
        for (int row = 0; row < runs.rows(run); row++) {
          int source = (int) (runs.sourceOffset(run) + row * runs.sourceStride(run));
          int at = (int) (runs.targetOffset(run) + row * runs.targetStride(run));
          for (int i = 0; i < runs.rowBytes(run); i++) {
            to[runs.targetRegion(run)][at + i] = from[runs.sourceRegion(run)][source + i];
            written[runs.targetRegion(run)][at + i]++;
          }
        }
      }
    }
    return to;
  }

  @Test
  void everyByteOfAnyLayoutIsWrittenOnceAndNoOtherOne() {
    long seed = Long.getLong("reactivetransfer.weights.seed", System.nanoTime());
    for (int i = 0; i < MODELS; i++) {
      RandomModel model = new RandomModel(seed + i);
      ModelBytes bytes = new ModelBytes(model);
      for (int rank = 0; rank < model.targets.size(); rank++) {
        TargetRank peer = model.targets.get(rank);
        RoutingTable table = FillTable.of(peer, List.of(named("one", peer), named("other", peer)));
        for (int target = 0; target < 2; target++) {
          byte[][] written = Rehearsal.memory(peer.rank());
          assertThat(filled(table, target, bytes.targets.get(rank), written))
              .as("-Dreactivetransfer.weights.seed=%d", seed + i)
              .isDeepEqualTo(bytes.targets.get(rank));
          assertThat(written).isDeepEqualTo(bytes.counts.get(rank));
        }
      }
    }
  }

  @Test
  void noRunIsLargerThan64MiB() {
    Tensor one = tensor("one", DataType.INT8, 200L << 20);
    Tensor rows = tensor("rows", DataType.INT8, 6, 30L << 20);
    Place apart = Place.of(1, 7, 31L << 20, 1);
    TargetRank peer =
        new TargetRank(
            Rank.of("peer", RegionSpec.registered(200L << 20), RegionSpec.registered(186L << 20)),
            List.of(
                new TargetShare(
                    one,
                    Content.of("one"),
                    List.of(new Piece(Box.whole(one.shape()), Place.of(0, 0, 1)))),
                new TargetShare(
                    rows, Content.of("rows"), List.of(new Piece(Box.whole(rows.shape()), apart)))));
    RoutingTable table = FillTable.of(peer, List.of(named("late", peer)));
    assertThat(table.arrivals()).containsExactly(4 + 3);
    Runs ofOne = table.steps(0).getFirst().runs();
    assertThat(IntStream.range(0, 4).mapToLong(ofOne::bytes))
        .containsExactly(64L << 20, 64L << 20, 64L << 20, 8L << 20);
    Runs ofRows = table.steps(0).getLast().runs();
    assertThat(IntStream.range(0, 3).mapToLong(ofRows::sourceOffset))
        .containsExactly(7L, 7 + (62L << 20), 7 + (124L << 20));
    assertThat(IntStream.range(0, 3).map(ofRows::rows)).containsExactly(2, 2, 2);
  }

  private static void requireRefused(Fixture of, String tensor, String got) {
    TargetRank peer = of.targets().getFirst();
    TargetRank late = of.targets().getLast();
    assertThatThrownBy(() -> FillTable.of(peer, List.of(late)))
        .isInstanceOfSatisfying(
            PlanRefusedException.class, refused -> assertThat(refused.tensor()).isEqualTo(tensor))
        .hasMessage(
            "expected a rank with the same part of tensor "
                + tensor
                + " at the same place as rank rank-1, got "
                + got
                + ", rank rank-0; trainers have to fill it");
  }

  @Test
  void anotherPartIsRefusedByName() {
    requireRefused(
        new Fixture()
            .target()
            .wants(V)
            .wants(W, Content.of("w"), rows(W, 0, 4))
            .done()
            .target()
            .wants(V)
            .wants(W, Content.of("w"), rows(W, 4, 8))
            .done(),
        "w",
        "another");
    requireRefused(
        new Fixture()
            .target()
            .wants(W, Content.of("w"), columns(W, 0, 4))
            .done()
            .target()
            .wants(W, Content.of("w"), columns(W, 0, 2))
            .done(),
        "w",
        "another");
  }

  @Test
  void anotherPlaceAndAnotherContentAreRefusedByName() {
    requireRefused(
        new Fixture().target().wants(V).wants(W).done().target().wants(W).wants(V).done(),
        "w",
        "another");
    requireRefused(
        new Fixture()
            .target()
            .wants(W, Content.of("w"))
            .done()
            .target()
            .wants(W, Content.of("v"))
            .done(),
        "w",
        "another");
  }

  @Test
  void aTensorThatOneOfThemHasNotIsRefusedByName() {
    requireRefused(
        new Fixture().target().wants(V).done().target().wants(V).wants(W).done(),
        "w",
        "one that has none of it");
    requireRefused(
        new Fixture().target().wants(V).wants(W).done().target().wants(V).done(),
        "w",
        "one that has more than that");
  }

  @Test
  void noRankFillsItself() {
    TargetRank peer = new Fixture().target().wants(W).done().targets().getFirst();
    assertThatThrownBy(() -> FillTable.of(peer, List.of(peer)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("expected other ranks than rank-0 to be filled from it, got that one, too");
  }

  @Test
  void nobodyToFill() {
    TargetRank peer = new Fixture().target().wants(W).done().targets().getFirst();
    assertThatThrownBy(() -> FillTable.of(peer, List.of()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("expected 1 or more ranks to be filled from rank-0, got none");
  }
}
