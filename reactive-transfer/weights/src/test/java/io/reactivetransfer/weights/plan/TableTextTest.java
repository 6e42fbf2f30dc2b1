package io.reactivetransfer.weights.plan;

import static io.reactivetransfer.weights.plan.Fixture.columns;
import static io.reactivetransfer.weights.plan.Fixture.rows;
import static io.reactivetransfer.weights.plan.Fixture.tensor;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivetransfer.weights.Content;
import io.reactivetransfer.weights.DataType;
import io.reactivetransfer.weights.Quantization;
import io.reactivetransfer.weights.Recipe;
import io.reactivetransfer.weights.Tensor;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** A table can be read by people, compared, and says what it costs. */
class TableTextTest {

  private static final Tensor Q = tensor("q", DataType.BF16, 8, 4);
  private static final Tensor BIAS = tensor("bias", DataType.BF16, 3);
  private static final Tensor W = tensor("w", DataType.FP8_E4M3, 8, 4);
  private static final Tensor SCALES = tensor("w.scale", DataType.FP32, 2, 1);
  private static final Content BLOCKS =
      Content.quantized(Recipe.of("q"), Quantization.perBlock(4, 4));

  private static RoutingTable plan(Fixture fixture) {
    return Planner.create().wholeBytes(0).plan(fixture.sources(), fixture.targets());
  }

  private static Fixture trainer() {
    return new Fixture()
        .source()
        .has(Q, rows(Q, 0, 5))
        .done()
        .source()
        .has(Q, rows(Q, 5, 8))
        .has(BIAS)
        .done();
  }

  /** Half of the columns at one rank, the other half at two. */
  private static Fixture columnsOf(Fixture trainer) {
    return trainer
        .target()
        .wants(Q, Content.of("q"), columns(Q, 0, 2))
        .done()
        .target()
        .wants(Q, Content.of("q"), columns(Q, 2, 4))
        .done()
        .target()
        .wants(Q, Content.of("q"), columns(Q, 2, 4))
        .done();
  }

  @Test
  void whatIsWrittenAsItLies() {
    assertThat(plan(columnsOf(trainer())).print())
        .isEqualTo(
            """
            source trainer-0, NICs [trainer-0], regions 1048576
            source trainer-1, NICs [trainer-1], regions 1048576
            target rank-0, NICs [rank-0], regions 1048576
            target rank-1, NICs [rank-1], regions 1048576
            target rank-2, NICs [rank-2], regions 1048576
            group dense
            tensor q BF16 [8, 4], group dense
            unused bias
            trainer-0 #0
              write q
                region 0 at 0 to rank-0 region 0 at 0: 20 bytes in 5 rows of 4, strides 8 and 4
                region 0 at 4 to rank-1, rank-2 region 0 at 0: 20 bytes in 5 rows of 4, strides 8 and 4
            trainer-1 #0
              write q
                region 0 at 4 to rank-1, rank-2 region 0 at 20: 12 bytes in 3 rows of 4, strides 8 and 4
                region 0 at 0 to rank-0 region 0 at 20: 12 bytes in 3 rows of 4, strides 8 and 4
            """);
  }

  @Test
  void whatIsGatheredAndPrepared() {
    assertThat(plan(quantized()).print())
        .endsWith(
            """
            tensor w FP8_E4M3 [8, 4], group dense, a scale in w.scale for each [4, 4]
            tensor w.scale FP32 [2, 1], group dense
            unused bias
            trainer-0 #0
              prepare w [0:4, 0:4]
                of BF16 [0:4, 0:4] region 0 at 0, strides [4, 1]
                output at 0 to rank-0 region 0 at 0: 16 bytes
                scales at 0 to rank-0 region 0 at 32: 4 bytes
            trainer-0 #1
              gather w at trainer-1 in 8 bytes
                region 0 at 32 to trainer-1 gathered at 0: 8 bytes
            trainer-1 #1
              prepare w [4:8, 0:4], 8 bytes gathered by 1 runs
                of BF16 [4:5, 0:4] gathered at 0, strides [4, 1]
                of BF16 [5:8, 0:4] region 0 at 0, strides [4, 1]
                output at 0 to rank-0 region 0 at 16: 16 bytes
                scales at 0 to rank-0 region 0 at 36: 4 bytes
            """);
  }

  private static Fixture quantized() {
    return trainer().target().wants(W, BLOCKS).wants(SCALES, Content.scalesOf("w")).done();
  }

  @Test
  void whatDiffers() {
    RoutingTable before = plan(columnsOf(trainer()));
    assertThat(TableDiff.between(before, plan(columnsOf(trainer()))).isEmpty()).isTrue();
    Fixture moved =
        new Fixture()
            .source()
            .has(Q, rows(Q, 0, 5))
            .done()
            .source()
            .has(BIAS)
            .has(Q, rows(Q, 5, 8))
            .done();
    TableDiff diff = TableDiff.between(before, plan(columnsOf(moved)));
    assertThat(diff.isEmpty()).isFalse();
    assertThat(diff.toString())
        .isEqualTo(
            """
            - trainer-1: write q:  region 0 at 4 to rank-1, rank-2 region 0 at 20: 12 bytes in 3 rows of 4, strides 8 and 4
            - trainer-1: write q:  region 0 at 0 to rank-0 region 0 at 20: 12 bytes in 3 rows of 4, strides 8 and 4
            + trainer-1: write q:  region 0 at 10 to rank-1, rank-2 region 0 at 20: 12 bytes in 3 rows of 4, strides 8 and 4
            + trainer-1: write q:  region 0 at 6 to rank-0 region 0 at 20: 12 bytes in 3 rows of 4, strides 8 and 4
            """);
    assertThat(TableDiff.between(before, plan(quantized())).removed())
        .contains("target rank-1, NICs [rank-1], regions 1048576");
  }

  @Test
  void whatItCosts() {
    PlanCost cost = plan(quantized()).cost();
    assertThat(cost.sent()).containsExactly(28L, 20L);
    assertThat(cost.gathered()).containsExactly(0L, 8L);
    assertThat(cost.received()).containsExactly(40L);
    assertThat(cost.writes()).containsExactly(3L, 2L);
    assertThat(cost.temporaries()).containsExactly(20L, 28L);
    assertThat(cost.allTemporaries()).containsExactly(20L, 28L);
    assertThat(cost.bytes()).isEqualTo(48);
    assertThat(cost.sourceImbalance()).isEqualTo(28 / 24.0);
    assertThat(cost.targetImbalance()).isEqualTo(1);
    assertThat(cost.time(4e9)).as("what the target gets").isEqualTo(Duration.ofNanos(10));
    assertThatThrownBy(() -> cost.time(0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("expected a speed above 0, got 0.0");
  }

  @Test
  void ranksThatShareNicsShareTheirBytes() {
    Fixture fixture = columnsOf(trainer());
    var sources =
        fixture.sources().stream()
            .map(source ->
                new io.reactivetransfer.weights.SourceRank(
                    source.rank().withNics("left", "right"), source.tensors()))
            .toList();
    PlanCost cost = Planner.create().wholeBytes(0).plan(sources, fixture.targets()).cost();
    assertThat(cost.out()).containsOnlyKeys("left", "right").containsValues(48L);
    assertThat(cost.nicImbalance()).isEqualTo(1);
  }

  @Test
  void replicasShareWhatIsSent() {
    Tensor large = tensor("large", DataType.FP32, 64, 64);
    Fixture fixture = new Fixture();
    for (int i = 0; i < 4; i++) {
      fixture.source().has(large).done();
    }
    fixture.target().wants(large).done();
    PlanCost cost =
        Planner.create().shareBytes(1024).plan(fixture.sources(), fixture.targets()).cost();
    assertThat(cost.sent()).containsOnly(4096L);
  }

  @Test
  void smallTensorsAreBroughtTogether() {
    Fixture fixture = columnsOf(trainer());
    PlanCost apart = plan(fixture).cost();
    PlanCost together = fixture.plan().cost();
    assertThat(apart.gathered()).containsOnly(0L);
    assertThat(together.gathered()).containsExactly(24L, 0L);
    assertThat(together.received()).isEqualTo(apart.received());
    assertThat(together.writes()).containsExactly(3L, 1L);
  }
}
