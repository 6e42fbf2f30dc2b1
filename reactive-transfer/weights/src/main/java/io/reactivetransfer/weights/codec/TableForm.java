package io.reactivetransfer.weights.codec;

import io.reactivetransfer.weights.Box;
import io.reactivetransfer.weights.DataType;
import io.reactivetransfer.weights.Rank;
import io.reactivetransfer.weights.Shape;
import io.reactivetransfer.weights.Tensor;
import io.reactivetransfer.weights.plan.Input;
import io.reactivetransfer.weights.plan.RoutingTable;
import io.reactivetransfer.weights.plan.Runs;
import io.reactivetransfer.weights.plan.Step;
import io.reactivetransfer.weights.plan.TableTensor;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The bytes of a table. */
final class TableForm {

  private static final int WRITE = 1;
  private static final int GATHER = 2;
  private static final int PREPARE = 3;

  /** Of the shortest one. */
  private static final int TENSOR_BYTES = 2 + 1 + 1 + 1 + 1;

  private static final int STEP_BYTES = 1 + 1 + 1 + 1;
  private static final int INPUT_BYTES = 1 + 1 + 1 + 1;
  private static final int RUN_BYTES = 6;

  private TableForm() {}

  static void write(RoutingTable table, FormWriter out) {
    ranks(table.sources(), out);
    ranks(table.targets(), out);
    RankForm.names(table.groups(), out);
    out.number(table.tensors().size());
    table.tensors().forEach(tensor -> write(tensor, out));
    RankForm.names(table.unused(), out);
    TargetSets sets = TargetSets.of(table);
    sets.write(out);
    for (int source = 0; source < table.sources().size(); source++) {
      if (table.part().orElse(source) != source) {
        continue;
      }
      out.number(table.steps(source).size());
      long before = -1;
      for (Step step : table.steps(source)) {
        write(step, before, sets, out);
        before = step.order();
      }
    }
  }

  /**
   * Reads a table.
   *
   * @param part the only rank whose steps follow; below 0 if those of all do
   */
  static RoutingTable read(int part, FormReader in) {
    List<Rank> sources = ranks(in);
    List<Rank> targets = ranks(in);
    List<String> groups = RankForm.names("mesh group", in);
    int count = in.count("tensors", 0, TENSOR_BYTES);
    List<TableTensor> tensors = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      tensors.add(tensor(in));
    }
    List<String> unused = RankForm.names("tensor", in);
    TargetSets sets = TargetSets.read(in);
    List<List<Step>> steps = new ArrayList<>(sources.size());
    for (int source = 0; source < sources.size(); source++) {
      steps.add(part < 0 || part == source ? steps(tensors, sets, in) : List.of());
    }
    sets.requireUsed(in);
    RoutingTable table = new RoutingTable(sources, targets, groups, tensors, unused, steps);
    return part < 0 ? table : table.only(part);
  }

  private static void ranks(List<Rank> ranks, FormWriter out) {
    out.number(ranks.size());
    ranks.forEach(rank -> RankForm.write(rank, out));
  }

  private static List<Rank> ranks(FormReader in) {
    int count = in.count("ranks", 1, RankForm.LEAST_BYTES);
    List<Rank> ranks = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      ranks.add(RankForm.read(in));
    }
    return ranks;
  }

  private static void write(TableTensor tensor, FormWriter out) {
    out.tensor(tensor.tensor()).number(tensor.group());
    Shape unit = tensor.unit();
    out.flag(unit != null);
    if (unit != null) {
      out.numbers(unit.sizes()).number(tensor.scales());
    }
  }

  private static TableTensor tensor(FormReader in) {
    Tensor tensor = in.tensor();
    int group = in.number("mesh group", 0, Integer.MAX_VALUE);
    if (!in.flag("unit")) {
      return new TableTensor(tensor, group, null, -1);
    }
    Shape unit = Shape.of(in.numbers("size of a unit", tensor.shape().dimensions()));
    return new TableTensor(tensor, group, unit, in.number("scales", 0, Integer.MAX_VALUE));
  }

  private static void write(Step step, long before, TargetSets sets, FormWriter out) {
    int kind =
        switch (step) {
          case Step.Write _ -> WRITE;
          case Step.Gather _ -> GATHER;
          case Step.Prepare _ -> PREPARE;
        };
    out.u8(kind).number(step.order() - before - 1).number(step.tensor());
    switch (step) {
      case Step.Write _ -> {}
      case Step.Gather gather -> out.number(gather.preparer()).number(gather.gatherBytes());
      case Step.Prepare prepare -> {
        out.box(prepare.box()).number(prepare.gatherBytes()).number(prepare.gatherWrites());
        out.number(prepare.inputs().size());
        for (Input input : prepare.inputs()) {
          out.type(input.type()).flag(input.isGathered());
          out.box(input.box()).place(input.place());
        }
      }
    }
    write(step.runs(), step instanceof Step.Gather ? null : sets, out);
  }

  private static List<Step> steps(List<TableTensor> tensors, TargetSets sets, FormReader in) {
    int count = in.count("steps", 0, STEP_BYTES);
    List<Step> steps = new ArrayList<>(count);
    long before = -1;
    for (int i = 0; i < count; i++) {
      int kind = in.u8("kind of a step", WRITE, PREPARE);
      long skipped = in.number("order");
      if (skipped > Long.MAX_VALUE - before - 1) {
        throw in.bad("an order below 2^63", "a larger one");
      }
      long order = before + 1 + skipped;
      before = order;
      int tensor = in.number("tensor", 0, tensors.size() - 1);
      steps.add(
          switch (kind) {
            case WRITE -> new Step.Write(order, tensor, runs(sets, null, in));
            case GATHER -> gather(order, tensor, in);
            default -> prepare(order, tensor, tensors.get(tensor).tensor().shape(), sets, in);
          });
    }
    return steps;
  }

  private static Step gather(long order, int tensor, FormReader in) {
    int preparer = in.number("rank that prepares", 0, Runs.MAX_RANKS - 1);
    long bytes = in.number("gathered bytes");
    return new Step.Gather(order, tensor, preparer, bytes, runs(null, new int[] {preparer}, in));
  }

  private static Step prepare(long order, int tensor, Shape shape, TargetSets sets, FormReader in) {
    Box box = in.box(shape.dimensions());
    long bytes = in.number("gathered bytes");
    long writes = in.number("gathering runs");
    int count = in.count("inputs", 1, INPUT_BYTES);
    List<Input> inputs = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      DataType type = in.type();
      boolean isGathered = in.flag("gathered");
      Box of = in.box(shape.dimensions());
      inputs.add(new Input(type, of, isGathered, in.place(shape.dimensions())));
    }
    return new Step.Prepare(order, tensor, box, inputs, bytes, writes, runs(sets, null, in));
  }

  /** Without sets, the target is known. */
  private static void write(Runs runs, @Nullable TargetSets sets, FormWriter out) {
    out.number(runs.size());
    for (int run = 0; run < runs.size(); run++) {
      if (sets != null) {
        out.number(sets.indexOf(runs.targetRanks(run)));
      }
      out.number(runs.sourceRegion(run) - Runs.SCALES).number(runs.targetRegion(run));
      out.number(runs.sourceOffset(run)).number(runs.targetOffset(run));
      out.number(runs.rowBytes(run)).number(runs.rows(run));
      if (runs.rows(run) > 1) {
        out.number(runs.sourceStride(run)).number(runs.targetStride(run));
      }
    }
  }

  /** Of these targets, or of sets that each run names. */
  private static Runs runs(@Nullable TargetSets sets, int @Nullable [] known, FormReader in) {
    int count = in.count("runs", 0, RUN_BYTES);
    Runs.Builder runs = Runs.builder();
    for (int i = 0; i < count; i++) {
      int[] ranks = sets != null ? sets.next(in) : Objects.requireNonNull(known);
      int sourceRegion = in.number("source region", 0, Integer.MAX_VALUE) + Runs.SCALES;
      int targetRegion = in.number("target region", 0, Integer.MAX_VALUE);
      long sourceOffset = in.number("source offset");
      runs.from(ranks, sourceRegion, sourceOffset, targetRegion, in.number("target offset"));
      long rowBytes = in.number("bytes of a row");
      int rows = in.number("rows", 1, Integer.MAX_VALUE);
      long sourceStride = rows > 1 ? in.number("source stride") : rowBytes;
      runs.rows(rowBytes, rows, sourceStride, rows > 1 ? in.number("target stride") : rowBytes);
    }
    return runs.build();
  }
}
