package io.reactivetransfer.weights.check;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivetransfer.weights.Content;
import io.reactivetransfer.weights.DataType;
import io.reactivetransfer.weights.LocalPart;
import io.reactivetransfer.weights.Mesh;
import io.reactivetransfer.weights.Rank;
import io.reactivetransfer.weights.Recipe;
import io.reactivetransfer.weights.RegionSpec;
import io.reactivetransfer.weights.Shape;
import io.reactivetransfer.weights.Sharding;
import io.reactivetransfer.weights.SourceRank;
import io.reactivetransfer.weights.SourceShare;
import io.reactivetransfer.weights.TargetRank;
import io.reactivetransfer.weights.TargetShare;
import io.reactivetransfer.weights.Tensor;
import io.reactivetransfer.weights.plan.Planner;
import io.reactivetransfer.weights.plan.RandomModel;
import io.reactivetransfer.weights.plan.RoutingTable;
import io.reactivetransfer.weights.plan.Runs;
import io.reactivetransfer.weights.plan.Step;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Which bytes trainers sum up. */
class SumPlanTest {

  private static RoutingTable random(long seed) {
    RandomModel model = new RandomModel(seed);
    return Planner.create().stepBytes(64).wholeBytes(64).plan(model.sources, model.targets);
  }

  /** 16 layers of 32 MiB, from two halves of rows to four quarters of columns. */
  private static RoutingTable large() {
    Sharding rows = Sharding.replicated(Mesh.of("train", Mesh.axis("fsdp", 2))).split(0, "fsdp");
    Sharding columns = Sharding.replicated(Mesh.of("serve", Mesh.axis("tp", 4))).split(1, "tp");
    List<SourceRank> sources = new ArrayList<>();
    List<TargetRank> targets = new ArrayList<>();
    List<Tensor> tensors = new ArrayList<>();
    for (int i = 0; i < 16; i++) {
      tensors.add(new Tensor("w" + i, DataType.BF16, Shape.of(4_096, 4_096)));
      tensors.add(new Tensor("norm" + i, DataType.BF16, Shape.of(8, 4_096)));
    }
    for (int rank = 0; rank < 2; rank++) {
      List<SourceShare> shares = new ArrayList<>();
      long at = 0;
      for (Tensor tensor : tensors) {
        LocalPart part = rows.of(tensor, rank);
        shares.add(new SourceShare(tensor, "dense", part.pieces(0, at)));
        at += part.bytes();
      }
      sources.add(new SourceRank(Rank.of("t" + rank, RegionSpec.registered(at)), shares));
    }
    for (int rank = 0; rank < 4; rank++) {
      List<TargetShare> shares = new ArrayList<>();
      long at = 0;
      for (Tensor tensor : tensors) {
        LocalPart part = columns.of(tensor, rank);
        shares.add(
            new TargetShare(tensor, Content.of(Recipe.of(tensor.name())), part.pieces(0, at)));
        at += part.bytes();
      }
      targets.add(new TargetRank(Rank.of("r" + rank, RegionSpec.registered(at)), shares));
    }
    return Planner.create().plan(sources, targets);
  }

  private static List<SumPiece> pieces(RoutingTable table, int rank, SumPlan plan) {
    return table.steps(rank).stream().flatMap(step -> plan.pieces(step).stream()).toList();
  }

  @Test
  void aSampleIsOnePercentAndHasAPieceOfEachTensorAndForEachRank() {
    RoutingTable table = large();
    for (long seed = 0; seed < 20; seed++) {
      for (int rank = 0; rank < 2; rank++) {
        SumPlan plan = SumPlan.of(table, rank, ChecksumScope.sampled(), seed);
        List<SumPiece> pieces = pieces(table, rank, plan);
        Set<String> tensors = new HashSet<>();
        pieces.forEach(piece -> tensors.add(piece.tensor()));
        assertThat(tensors).hasSize(32);
        long summed = pieces.stream().mapToLong(SumPiece::bytes).sum();
        long all = 0;
        for (int target = 0; target < 4; target++) {
          assertThat(plan.summedBytes[target]).isPositive();
          all += plan.bytes[target];
        }
        assertThat(summed).isBetween(all / 200, all / 95);
      }
    }
  }

  @Test
  void anotherUpdateHasAnotherSample() {
    RoutingTable table = large();
    Set<List<SumPiece>> samples = new HashSet<>();
    for (long seed = 0; seed < 20; seed++) {
      samples.add(pieces(table, 0, SumPlan.of(table, 0, ChecksumScope.sampled(), seed)));
    }
    assertThat(samples).hasSize(20);
  }

  @Test
  void everyPieceLiesInItsRunAndEachRankGetsOne() {
    for (long seed = 0; seed < 200; seed++) {
      RoutingTable table = random(seed);
      for (int rank = 0; rank < table.sources().size(); rank++) {
        SumPlan plan = SumPlan.of(table, rank, ChecksumScope.sampled(), seed);
        for (Step step : table.steps(rank)) {
          if (step instanceof Step.Gather) {
            assertThat(plan.pieces(step)).isEmpty();
          }
          for (SumPiece piece : plan.pieces(step)) {
            Runs runs = step.runs();
            assertThat(piece.bytes()).isPositive();
            assertThat(piece.row() + piece.rows()).isLessThanOrEqualTo(runs.rows(piece.run()));
            assertThat(piece.from() + piece.rowBytes())
                .isLessThanOrEqualTo(runs.rowBytes(piece.run()));
          }
        }
        for (int target = 0; target < table.targets().size(); target++) {
          assertThat(plan.summedBytes[target] > 0).isEqualTo(plan.arrivals[target] > 0);
        }
      }
    }
  }

  /** Who gets them would drop them, and say that there were none. */
  @Test
  void moreSumsThanARankTakesAreRefused() {
    RoutingTable table = large();
    SumPlan all = SumPlan.of(table, 1, ChecksumScope.all(), 0);
    int count = Math.toIntExact(all.sums[2]);
    assertThat(count)
        .isEqualTo(pieces(table, 1, all).stream().filter(piece -> isTo(piece, 2)).count());
    all.requireFew(2, count);
    assertThatThrownBy(() -> all.requireFew(2, count - 1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith(
            "expected at most "
                + (count - 1)
                + " checksums of trainer t1 for rank r2, got "
                + count
                + " with a scope of ALL; ");
    SumPlan some = SumPlan.of(table, 1, ChecksumScope.allOf("w0", "w1"), 0);
    assertThatThrownBy(() -> some.requireFew(2, 1))
        .hasMessageContaining(" with a scope of SAMPLED and all of 2 tensors; ");
  }

  /** All ranks of a trainer together say no more than an inference rank takes. */
  @Test
  void samplesAreFewerWhereThereIsRoomForFewer() {
    RoutingTable table = large();
    Set<String> tensors = new HashSet<>();
    for (long seed = 0; seed < 20; seed++) {
      SumPlan plan = SumPlan.of(table, 0, ChecksumScope.sampled(), seed, 5);
      for (int target = 0; target < 4; target++) {
        assertThat(plan.sums[target]).isBetween(1L, 5L);
      }
      pieces(table, 0, plan).forEach(piece -> tensors.add(piece.tensor()));
    }
    assertThat(tensors).hasSizeGreaterThan(20); // of 32, so not always the same ones
  }

  private static boolean isTo(SumPiece piece, int target) {
    return IntStream.range(0, piece.runs().targets(piece.run()))
        .anyMatch(i -> piece.runs().target(piece.run(), i) == target);
  }

  @Test
  void allIsEveryByteOnce() {
    for (long seed = 0; seed < 100; seed++) {
      RoutingTable table = random(seed);
      for (int rank = 0; rank < table.sources().size(); rank++) {
        SumPlan plan = SumPlan.of(table, rank, ChecksumScope.all(), seed);
        assertThat(plan.summedBytes).isEqualTo(plan.bytes);
        SumPlan none = SumPlan.of(table, rank, ChecksumScope.none(), seed);
        assertThat(pieces(table, rank, none)).isEmpty();
        assertThat(none.arrivals).isEqualTo(plan.arrivals);
      }
    }
  }
}
