package io.reactivetransfer.weights.plan;

import io.reactivetransfer.weights.Box;
import io.reactivetransfer.weights.DataType;
import io.reactivetransfer.weights.Rank;
import io.reactivetransfer.weights.RegionSpec;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Refuses a table that leads out of the memory of a rank, or names what there is not. */
final class TableChecks {

  private final RoutingTable table;

  TableChecks(RoutingTable table) {
    this.table = table;
  }

  void require() {
    requireTensors();
    for (int source = 0; source < table.sources().size(); source++) {
      long before = -1;
      for (Step step : table.steps(source)) {
        require(step.order() > before, "steps of rising order", step.order());
        before = step.order();
        requireIndex("tensor", step.tensor(), table.tensors().size());
        require(source, step);
      }
    }
  }

  private void requireTensors() {
    Set<String> names = new HashSet<>();
    for (TableTensor tensor : table.tensors()) {
      require(names.add(tensor.tensor().name()), "each tensor once", tensor.tensor().name());
      requireIndex("mesh group", tensor.group(), table.groups().size());
      if (tensor.scales() >= 0) {
        requireIndex("tensor of scales", tensor.scales(), table.tensors().size());
        DataType type = table.tensors().get(tensor.scales()).tensor().type();
        require(type.isFloating() && !type.isQuantized(), "scales of FP32, BF16 or FP16", type);
      }
    }
  }

  private void require(int source, Step step) {
    switch (step) {
      case Step.Write write -> {
        requireOwn(source, write.runs(), true);
        requireTargets(write.runs());
      }
      case Step.Gather gather -> {
        requireIndex("rank that prepares", gather.preparer(), table.sources().size());
        require(gather.preparer() != source, "another rank that prepares", source);
        requireOwn(source, gather.runs(), false);
        for (int run = 0; run < gather.runs().size(); run++) {
          int target = gather.runs().target(run, 0);
          require(
              target == gather.preparer() && gather.runs().targets(run) == 1,
              "runs to the rank that prepares",
              target);
          requireIndex("region of what is gathered", gather.runs().targetRegion(run), 1);
          requireTarget(gather.runs(), run, gather.gatherBytes());
        }
      }
      case Step.Prepare prepare -> {
        requireInputs(source, prepare);
        requireTargets(prepare.runs());
        long output = table.outputBytes(prepare);
        long scales = table.scaleBytes(prepare);
        for (int run = 0; run < prepare.runs().size(); run++) {
          int region = prepare.runs().sourceRegion(run);
          require(region < 0, "runs from temporaries of the step", region);
          requireSource(prepare.runs(), run, region == Runs.OUTPUT ? output : scales);
        }
      }
    }
  }

  private void requireOwn(int source, Runs runs, boolean isDirect) {
    for (int run = 0; run < runs.size(); run++) {
      RegionSpec region = region(table.sources().get(source), runs.sourceRegion(run));
      require(!isDirect || region.isRegistered(), "registered memory to write from", region);
      requireSource(runs, run, region.bytes());
    }
  }

  private void requireTargets(Runs runs) {
    for (int run = 0; run < runs.size(); run++) {
      for (int i = 0; i < runs.targets(run); i++) {
        requireIndex("target", runs.target(run, i), table.targets().size());
        Rank rank = table.targets().get(runs.target(run, i));
        requireTarget(runs, run, region(rank, runs.targetRegion(run)).bytes());
      }
    }
  }

  private void requireInputs(int source, Step.Prepare step) {
    TableTensor tensor = table.tensors().get(step.tensor());
    Box box = step.box();
    if (box.dimensions() != tensor.tensor().shape().dimensions()
        || !Box.whole(tensor.tensor().shape()).contains(box)) {
      throw bad("a step within tensor " + tensor.tensor(), box.toString());
    }
    require(step.gatherBytes() >= 0 && step.gatherWrites() >= 0, "bytes of 0 or more", step);
    List<Cell> parts = new ArrayList<>(step.inputs().size());
    for (Input input : step.inputs()) {
      if (input.box().dimensions() != box.dimensions() || !box.contains(input.box())) {
        throw bad("inputs within " + box, input.box().toString());
      }
      if (!isConverted(input.type(), tensor)) {
        throw bad("what becomes " + tensor.tensor(), input.type().toString());
      }
      long limit =
          input.isGathered()
              ? step.gatherBytes()
              : region(table.sources().get(source), input.place().region()).bytes();
      requireWithin(input, limit);
      parts.add(new Cell(input.box(), List.of()));
    }
    parts.sort(Comparator.comparing(Cell::box, Boxes.ORDER));
    long elements = parts.stream().mapToLong(part -> part.box().elements()).sum();
    if (elements != box.elements() || !Cells.areApart(parts)) {
      throw bad("inputs that are each element of " + box + " once", step.inputs().toString());
    }
  }

  private static boolean isConverted(DataType from, TableTensor to) {
    DataType type = to.tensor().type();
    return to.unit() == null
        ? from == type || (from.isFloating() && type.isFloating())
        : from.isFloating() && !from.isQuantized() && type.isQuantized();
  }

  private static void requireWithin(Input input, long limit) {
    // With at most 2^56 elements at strides of at most 2^56 this may overflow a long.
    long bits = input.type().bits();
    long last = 0;
    boolean fits = true;
    for (int i = 0; i < input.box().dimensions(); i++) {
      long steps = input.box().size(i) - 1;
      long stride = input.place().stride(i);
      fits &= steps == 0 || stride <= (Long.MAX_VALUE / 64 - last) / steps;
      last += fits ? steps * stride : 0;
    }
    long bytes = Math.ceilDiv((last + 1) * bits, (long) Byte.SIZE);
    if (!fits || bytes > limit - input.place().offset()) {
      throw bad("inputs within " + limit + " bytes", input.toString());
    }
  }

  private static void requireSource(Runs runs, int run, long limit) {
    long extent = (runs.rows(run) - 1) * runs.sourceStride(run) + runs.rowBytes(run);
    requireRun("source", runs.sourceOffset(run), extent, limit);
  }

  private static void requireTarget(Runs runs, int run, long limit) {
    long extent = (runs.rows(run) - 1) * runs.targetStride(run) + runs.rowBytes(run);
    requireRun("target", runs.targetOffset(run), extent, limit);
  }

  private static void requireRun(String side, long offset, long extent, long limit) {
    if (extent > limit - offset) {
      throw bad(
          "runs within the " + limit + " bytes of the " + side,
          offset + " and " + extent + " more");
    }
  }

  private static RegionSpec region(Rank rank, int region) {
    if (region < 0 || region >= rank.regions().size()) {
      requireIndex("region of rank " + rank.name(), region, rank.regions().size());
    }
    return rank.regions().get(region);
  }

  private static void requireIndex(String what, int index, int size) {
    if (index < 0 || index >= size) {
      throw bad("a " + what + " of 0 to " + (size - 1), String.valueOf(index));
    }
  }

  private static void require(boolean holds, String expected, Object got) {
    if (!holds) {
      throw bad(expected, String.valueOf(got));
    }
  }

  private static IllegalArgumentException bad(String expected, String got) {
    return new IllegalArgumentException("expected " + expected + ", got " + got);
  }
}
