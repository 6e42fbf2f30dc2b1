package io.reactivetransfer.weights.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivetransfer.weights.Box;
import io.reactivetransfer.weights.DataType;
import io.reactivetransfer.weights.Place;
import io.reactivetransfer.weights.Rank;
import io.reactivetransfer.weights.RegionSpec;
import io.reactivetransfer.weights.Shape;
import io.reactivetransfer.weights.Tensor;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A table that leads somewhere else is refused, whoever made it. */
class TableRefusalTest {

  private static final int[] FIRST = {0};
  private static final Tensor W = new Tensor("w", DataType.FP8_E4M3, Shape.of(2, 4));
  private static final Tensor SCALES = new Tensor("s", DataType.FP32, Shape.of(2));
  private static final TableTensor QUANTIZED = new TableTensor(W, 0, Shape.of(1, 4), 1);
  private static final TableTensor OF_SCALES = new TableTensor(SCALES, 0, null, -1);
  private static final Box WHOLE = Box.whole(W.shape());
  private static final Input ALL = new Input(DataType.BF16, WHOLE, false, Place.of(0, 0, 4, 1));

  private static RoutingTable table(List<TableTensor> tensors, Step... steps) {
    return new RoutingTable(
        List.of(Rank.of("s0", RegionSpec.registered(16)), Rank.of("s1", RegionSpec.registered(16))),
        List.of(Rank.of("t0", RegionSpec.registered(16))),
        List.of("g"),
        tensors,
        List.of(),
        List.of(List.of(steps), List.of()));
  }

  private static RoutingTable table(Step... steps) {
    return table(List.of(QUANTIZED, OF_SCALES), steps);
  }

  private static Runs run(int[] ranks, int source, long from, int target, long to, long bytes) {
    return Runs.builder().from(ranks, source, from, target, to).rows(bytes, 1, 1, 1).build();
  }

  private static Step prepare(Box box, List<Input> inputs, long gathered, Runs runs) {
    return new Step.Prepare(0, 0, box, inputs, gathered, 0, runs);
  }

  private static Step prepare(Runs runs) {
    return prepare(WHOLE, List.of(ALL), 0, runs);
  }

  private static void requireRefused(Runnable made, String message) {
    assertThatThrownBy(made::run).isInstanceOf(IllegalArgumentException.class).hasMessage(message);
  }

  @Test
  void whatFitsIsTaken() {
    Step good =
        prepare(
            Runs.builder()
                .from(FIRST, Runs.OUTPUT, 0, 0, 0)
                .rows(8, 1, 1, 1)
                .from(FIRST, Runs.SCALES, 4, 0, 8)
                .rows(4, 1, 1, 1)
                .build());
    RoutingTable table = table(good);
    assertThat(table.outputBytes((Step.Prepare) good)).isEqualTo(8);
    assertThat(table.scaleBytes((Step.Prepare) good)).isEqualTo(8);
    assertThat(table.temporaryBytes(0, good)).isEqualTo(16);
    assertThat(table.only(1).steps(0)).isEmpty();
  }

  @Test
  void runs() {
    String ranks = "expected 1 or more ranks of 0 to 2^20 that rise, got ";
    requireRefused(() -> run(new int[0], 0, 0, 0, 0, 1), ranks + "[]");
    requireRefused(() -> run(new int[] {1, 1}, 0, 0, 0, 0, 1), ranks + "[1, 1]");
    requireRefused(() -> run(new int[] {1 << 20}, 0, 0, 0, 0, 1), ranks + "[1048576]");
    requireRefused(
        () -> run(FIRST, -3, 0, 0, 0, 1),
        "expected a run between regions that there are, got region -3 at 0 to region 0 at 0");
    requireRefused(
        () -> run(FIRST, 0, 0, 0, 0, 0), "expected 1 or more rows of 1 or more bytes, got 1 of 0");
    requireRefused(
        () -> Runs.builder().from(FIRST, 0, 0, 0, 0).rows(4, 2, Long.MAX_VALUE, 4),
        "expected rows of 4 bytes that lie apart at the target, got strides of 9223372036854775807"
            + " and 4");
  }

  @Test
  void tensorsAndInputs() {
    requireRefused(
        () -> new TableTensor(W, 0, null, 1),
        "expected units and scales of tensor w, or neither, got null and 1");
    requireRefused(
        () -> new TableTensor(W, 0, Shape.of(2), 1),
        "expected units of as many dimensions as tensor w FP8_E4M3 [2, 4], got [2]");
    requireRefused(
        () -> new Input(DataType.BF16, WHOLE, false, Place.of(0, 0, 1)),
        "expected a stride for each dimension of [0:2, 0:4], got region 0 at 0, strides [1]");
    requireRefused(
        () -> new Input(DataType.BF16, WHOLE, true, Place.of(1, 0, 4, 1)),
        "expected what is gathered in region 0, got 1");
    requireRefused(() -> table(List.of(OF_SCALES, OF_SCALES)), "expected each tensor once, got s");
    requireRefused(
        () -> table(List.of(new TableTensor(W, 1, null, -1))),
        "expected a mesh group of 0 to 0, got 1");
    requireRefused(() -> table(List.of(QUANTIZED)), "expected a tensor of scales of 0 to 0, got 1");
    requireRefused(
        () -> table(List.of(new TableTensor(W, 0, Shape.of(1, 4), 0))),
        "expected scales of FP32, BF16 or FP16, got FP8_E4M3");
  }

  @Test
  void order() {
    Step write = new Step.Write(3, 0, Runs.builder().build());
    requireRefused(() -> table(write, write), "expected steps of rising order, got 3");
    requireRefused(
        () -> table(new Step.Write(0, 2, Runs.builder().build())),
        "expected a tensor of 0 to 1, got 2");
  }

  @Test
  void gatheringElsewhere() {
    Runs runs = run(FIRST, 0, 0, 0, 0, 4);
    requireRefused(
        () -> table(new Step.Gather(0, 0, 0, 8, runs)),
        "expected another rank that prepares, got 0");
    requireRefused(
        () -> table(new Step.Gather(0, 0, 2, 8, runs)),
        "expected a rank that prepares of 0 to 1, got 2");
    requireRefused(
        () -> table(new Step.Gather(0, 0, 1, 8, runs)),
        "expected runs to the rank that prepares, got 0");
    int[] second = {1};
    requireRefused(
        () -> table(new Step.Gather(0, 0, 1, 8, run(second, 0, 0, 1, 0, 4))),
        "expected a region of what is gathered of 0 to 0, got 1");
    requireRefused(
        () -> table(new Step.Gather(0, 0, 1, 8, run(second, 0, 0, 0, 5, 4))),
        "expected runs within the 8 bytes of the target, got 5 and 4 more");
  }

  @Test
  void preparingOfTheWrongThings() {
    Runs none = Runs.builder().build();
    requireRefused(
        () -> table(prepare(Box.of(new long[2], new long[] {3, 4}), List.of(ALL), 0, none)),
        "expected a step within tensor w FP8_E4M3 [2, 4], got [0:3, 0:4]");
    Box row = WHOLE.with(0, 0, 1);
    requireRefused(
        () -> table(prepare(row, List.of(ALL), 0, none)),
        "expected inputs within [0:1, 0:4], got [0:2, 0:4]");
    Input half = new Input(DataType.BF16, row, false, Place.of(0, 0, 4, 1));
    requireRefused(
        () -> table(prepare(WHOLE, List.of(half), 0, none)),
        "expected inputs that are each element of [0:2, 0:4] once, got [" + half + "]");
    requireRefused(
        () -> table(prepare(WHOLE, List.of(half, half), 0, none)),
        "expected inputs that are each element of [0:2, 0:4] once, got ["
            + half
            + ", "
            + half
            + "]");
    Input integers = new Input(DataType.INT8, WHOLE, false, Place.of(0, 0, 4, 1));
    requireRefused(
        () -> table(prepare(WHOLE, List.of(integers), 0, none)),
        "expected what becomes w FP8_E4M3 [2, 4], got INT8");
    Input beyond = new Input(DataType.BF16, WHOLE, false, Place.of(0, 2, 4, 1));
    requireRefused(
        () -> table(prepare(WHOLE, List.of(beyond), 0, none)),
        "expected inputs within 16 bytes, got " + beyond);
    Input far = new Input(DataType.BF16, WHOLE, false, Place.of(0, 0, 1L << 56, 1L << 56));
    requireRefused(
        () -> table(prepare(WHOLE, List.of(far), 0, none)),
        "expected inputs within 16 bytes, got " + far);
    Input gathered = new Input(DataType.BF16, WHOLE, true, Place.of(0, 0, 4, 1));
    requireRefused(
        () -> table(prepare(WHOLE, List.of(gathered), 15, none)),
        "expected inputs within 15 bytes, got " + gathered);
    Input elsewhere = new Input(DataType.BF16, WHOLE, false, Place.of(1, 0, 4, 1));
    requireRefused(
        () -> table(prepare(WHOLE, List.of(elsewhere), 0, none)),
        "expected a region of rank s0 of 0 to 0, got 1");
  }

  @Test
  void writingOfTheWrongThings() {
    requireRefused(
        () -> table(prepare(run(FIRST, 0, 0, 0, 0, 8))),
        "expected runs from temporaries of the step, got 0");
    requireRefused(
        () -> table(prepare(run(FIRST, Runs.OUTPUT, 1, 0, 0, 8))),
        "expected runs within the 8 bytes of the source, got 1 and 8 more");
    requireRefused(
        () -> table(prepare(run(FIRST, Runs.SCALES, 4, 0, 0, 5))),
        "expected runs within the 8 bytes of the source, got 4 and 5 more");
    requireRefused(
        () -> table(prepare(run(new int[] {0, 1}, Runs.OUTPUT, 0, 0, 0, 8))),
        "expected a target of 0 to 0, got 1");
    Input same = new Input(DataType.FP8_E4M3, WHOLE, false, Place.of(0, 0, 4, 1));
    Step unscaled = prepare(WHOLE, List.of(same), 0, run(FIRST, Runs.SCALES, 0, 0, 0, 1));
    requireRefused(
        () -> table(List.of(new TableTensor(W, 0, null, -1)), unscaled),
        "expected runs within the 0 bytes of the source, got 0 and 1 more");
  }
}
