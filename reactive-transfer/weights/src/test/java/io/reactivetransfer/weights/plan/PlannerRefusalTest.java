package io.reactivetransfer.weights.plan;

import static io.reactivetransfer.weights.plan.Fixture.rows;
import static io.reactivetransfer.weights.plan.Fixture.tensor;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.reactivetransfer.weights.Box;
import io.reactivetransfer.weights.Content;
import io.reactivetransfer.weights.DataType;
import io.reactivetransfer.weights.Quantization;
import io.reactivetransfer.weights.Recipe;
import io.reactivetransfer.weights.Tensor;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What does not fit is refused by the name of its tensor. */
class PlannerRefusalTest {

  private static final Tensor Q = tensor("q", DataType.BF16, 8, 4);
  private static final Tensor K = tensor("k", DataType.BF16, 4, 4);
  private static final Tensor INTS = tensor("ints", DataType.INT8, 8, 4);
  private static final Tensor PACKED = tensor("packed", DataType.INT4, 8, 4);
  private static final Tensor FP8 = tensor("w", DataType.FP8_E4M3, 8, 4);
  private static final Tensor SCALES = tensor("w.scale", DataType.FP32, 8);
  private static final Content PER_ROW =
      Content.quantized(Recipe.of("q"), Quantization.perChannel(0));

  private static void requireRefused(Fixture fixture, String tensor, String message) {
    PlanRefusedException refused = catchThrowableOfType(PlanRefusedException.class, fixture::plan);
    assertThat(refused).as("is refused").isNotNull().hasMessage(message);
    assertThat(refused.tensor()).isEqualTo(tensor);
  }

  /** A trainer that has all of these tensors. */
  private static Fixture trainer() {
    return new Fixture().source().has(Q).has(K).has(INTS).has(PACKED).done();
  }

  private static void requireRefused(Tensor tensor, Content content, String why) {
    requireRefused(
        trainer().target().wants(tensor, content).done(),
        tensor.name(),
        "tensor " + tensor.name() + " cannot be made: " + why);
  }

  @Test
  void aGapAtTheTrainer() {
    requireRefused(
        new Fixture()
            .source()
            .has(Q, rows(Q, 0, 3))
            .done()
            .source()
            .has(Q, rows(Q, 5, 8))
            .done()
            .target()
            .wants(Q)
            .done(),
        "q",
        "expected every element of tensor q [8, 4] at some rank of the trainer, got none with"
            + " [3:5, 0:4]");
  }

  @Test
  void aGapAtTheInferenceEngine() {
    requireRefused(
        trainer().target().wants(Q, Content.of("q"), rows(Q, 1, 8)).done(),
        "q",
        "expected every element of tensor q [8, 4] at some rank of the inference engine, got none"
            + " with [0:1, 0:4]");
  }

  @Test
  void anElementTwiceAtARank() {
    requireRefused(
        new Fixture().source().has(Q, rows(Q, 0, 5), rows(Q, 4, 8)).done().target().wants(Q).done(),
        "q",
        "expected each element of tensor q at most once at rank trainer-0, got [4:5, 0:4] twice");
    requireRefused(
        new Fixture().source().has(Q, rows(Q, 0, 8), rows(Q, 0, 8)).done().target().wants(Q).done(),
        "q",
        "expected each element of tensor q at most once at rank trainer-0, got [0:8, 0:4] twice");
  }

  @Test
  void ranksOfTheTrainerThatSayDifferentThings() {
    Tensor other = tensor("q", DataType.FP32, 8, 4);
    requireRefused(
        new Fixture().source().has(Q).done().source().has(other).done().target().wants(Q).done(),
        "q",
        "expected all ranks of the trainer to say the same of tensor q, got q FP32 [8, 4] in group"
            + " dense from trainer-1 and q BF16 [8, 4] in group dense from another one");
    requireRefused(
        new Fixture()
            .source()
            .has(Q)
            .done()
            .source()
            .has("experts", Q, Box.whole(Q.shape()))
            .done()
            .target()
            .wants(Q)
            .done(),
        "q",
        "expected all ranks of the trainer to say the same of tensor q, got q BF16 [8, 4] in group"
            + " experts from trainer-1 and q BF16 [8, 4] in group dense from another one");
  }

  @Test
  void inferenceRanksThatSayDifferentThings() {
    Tensor other = tensor("q", DataType.FP16, 8, 4);
    requireRefused(
        trainer().target().wants(Q).done().target().wants(other, Content.of("q")).done(),
        "q",
        "expected all ranks of the inference engine to say the same of tensor q, got q FP16 [8, 4]"
            + " made as Values[recipe=Of[tensor=q], quantization=null] from rank-1 and q BF16 [8,"
            + " 4] made as Values[recipe=Of[tensor=q], quantization=null] from another one");
    Content copy = Content.of(Recipe.fused(0, "q"));
    assertThatThrownBy(
            () -> trainer().target().wants(Q).done().target().wants(Q, copy).done().plan())
        .isInstanceOf(PlanRefusedException.class)
        .hasMessageStartingWith(
            "expected all ranks of the inference engine to say the same of tensor q");
  }

  @Test
  void aTensorThatTheTrainerHasNot() {
    requireRefused(
        tensor("v", DataType.BF16, 8, 4),
        Content.of("v"),
        "expected a tensor that the trainer has, got none named v");
  }

  @Test
  void anotherShape() {
    requireRefused(
        tensor("w", DataType.BF16, 8, 5),
        Content.of("q"),
        "expected a shape of [8, 5], got [8, 4]");
    requireRefused(
        tensor("w", DataType.BF16, 12, 4),
        Content.of(Recipe.fused(0, "q", "q")),
        "expected a shape of [12, 4], got [16, 4]");
  }

  @Test
  void recipesThatDoNotFit() {
    Tensor any = tensor("w", DataType.BF16, 4);
    requireRefused(
        any,
        Content.of(Recipe.fused(1, "q", "k")),
        "expected parts that are alike but for dimension 1, got [8, 4] and [4, 4]");
    requireRefused(
        any,
        Content.of(Recipe.fused(2, "q")),
        "expected parts that are alike but for dimension 2, got [8, 4]");
    requireRefused(
        any,
        Content.of(Recipe.stacked(0, Recipe.of("q"), Recipe.of("k"))),
        "expected parts of one shape to stack at dimension 0, got [8, 4] and [4, 4]");
    requireRefused(
        any,
        Content.of(Recipe.stacked(3, Recipe.of("q"))),
        "expected parts of one shape to stack at dimension 3, got [8, 4]");
    requireRefused(
        any,
        Content.of(new Recipe.Transposed(Recipe.of("q"), List.of(2, 1, 0))),
        "expected an order of 2 dimensions, got [2, 1, 0]");
    requireRefused(
        any,
        Content.of(new Recipe.Sliced(Recipe.of("q"), rows(Q, 4, 9))),
        "expected a slice of [8, 4], got [4:9, 0:4]");
    requireRefused(
        any,
        Content.of(new Recipe.Picked(Recipe.of("q"), 0, 8)),
        "expected an index of a dimension of [8, 4], got index 8 of dimension 0");
  }

  @Test
  void typesThatDoNotFit() {
    requireRefused(
        tensor("w", DataType.BF16, 8, 4),
        Content.of("ints"),
        "expected BF16, or what is cast to it, of tensor ints, got INT8");
    requireRefused(
        INTS, Content.of("q"), "expected INT8, or what is cast to it, of tensor q, got BF16");
    requireRefused(
        tensor("w", DataType.BF16, 8, 4),
        PER_ROW,
        "expected a type of 8 bits or less to quantise to, got BF16");
    requireRefused(
        FP8,
        Content.quantized(Recipe.of("ints"), Quantization.perTensor()),
        "expected FP32, BF16 or FP16 to quantise of tensor ints, got INT8");
  }

  @Test
  void packedElementsThatWouldBeParted() {
    requireRefused(
        tensor("w", DataType.INT4, 4, 8),
        Content.of(Recipe.transposed("packed")),
        "expected INT4 to keep its last dimension, along which it is packed, got tensor packed with"
            + " another one");
    Box odd = Box.of(new long[] {0, 1}, new long[] {8, 2});
    requireRefused(
        tensor("w", DataType.INT4, 8, 2),
        Content.of(new Recipe.Sliced(Recipe.of("packed"), odd)),
        "expected parts of tensor packed that begin at whole bytes, got [0:8, 1:3]");
  }

  @Test
  void partsOfPackedUnitsThatBeginWithinAByte() {
    Box odd = Box.of(new long[] {0, 0}, new long[] {8, 3});
    Recipe fused =
        Recipe.fused(
            1, new Recipe.Sliced(Recipe.of("q"), odd), new Recipe.Sliced(Recipe.of("q"), odd));
    Tensor tensor = tensor("w", DataType.INT4, 8, 6);
    requireRefused(
        trainer()
            .target()
            .wants(tensor, Content.quantized(fused, Quantization.perBlock(1, 2)))
            .done(),
        "w",
        "expected parts of tensor w that begin at whole bytes, got an odd number of elements of"
            + " INT4");
  }

  @Test
  void unitsOfOtherDimensions() {
    requireRefused(
        FP8,
        Content.quantized(Recipe.of("q"), Quantization.perBlock(2)),
        "expected a tensor that can be quantised per block [2], got shape [8, 4]");
    requireRefused(
        FP8,
        Content.quantized(Recipe.of("q"), Quantization.perChannel(2)),
        "expected a tensor that can be quantised per channel of dimension 2, got shape [8, 4]");
  }

  @Test
  void quantisedWithoutScales() {
    requireRefused(
        trainer().target().wants(FP8, PER_ROW).done(),
        "w",
        "expected a tensor of the inference engine that holds the scales of tensor w, got none");
  }

  @Test
  void scalesOfNothing() {
    requireRefused(
        trainer().target().wants(SCALES, Content.scalesOf("w")).done(),
        "w.scale",
        "expected scales w.scale of a quantised tensor of the inference engine, got none named w");
    requireRefused(
        trainer().target().wants(Q).wants(SCALES, Content.scalesOf("q")).done(),
        "w.scale",
        "expected scales w.scale of a quantised tensor of the inference engine, got q, which is not"
            + " quantised");
  }

  @Test
  void scalesTwice() {
    requireRefused(
        trainer()
            .target()
            .wants(FP8, PER_ROW)
            .wants(SCALES, Content.scalesOf("w"))
            .wants(tensor("more", DataType.FP32, 8), Content.scalesOf("w"))
            .done(),
        "more",
        "expected the scales of tensor w in one tensor, got w.scale and more");
  }

  @Test
  void scalesOfAnotherTypeOrShape() {
    requireRefused(
        trainer()
            .target()
            .wants(FP8, PER_ROW)
            .wants(tensor("w.scale", DataType.INT8, 8), Content.scalesOf("w"))
            .done(),
        "w.scale",
        "expected scales w.scale of FP32, BF16 or FP16, got INT8");
    requireRefused(
        trainer()
            .target()
            .wants(FP8, PER_ROW)
            .wants(tensor("w.scale", DataType.FP32, 7), Content.scalesOf("w"))
            .done(),
        "w.scale",
        "expected scales w.scale of shape [8, 1], one for each unit of tensor w, got [7]");
  }

  @Test
  void noRanksAndTwoOfOneName() {
    Fixture fixture = trainer().target().wants(Q).done();
    assertThatThrownBy(() -> Planner.create().plan(List.of(), fixture.targets()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("expected 1 to 1048576 ranks of the trainer, got 0");
    assertThatThrownBy(() -> Planner.create().plan(fixture.sources(), List.of()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("expected 1 to 1048576 ranks of the inference engine, got 0");
    fixture.targets().add(fixture.targets().getFirst());
    assertThatThrownBy(fixture::plan)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "expected ranks of different names of the inference engine, got [rank-0, rank-0]");
  }

  @Test
  void stepsOfNoBytes() {
    assertThatThrownBy(() -> Planner.create().stepBytes(0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("expected steps and shares of 1 to 2^56 bytes, got 0 and 1048576");
    assertThatThrownBy(() -> Planner.create().shareBytes(Long.MAX_VALUE))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "expected steps and shares of 1 to 2^56 bytes, got 67108864 and 9223372036854775807");
  }
}
