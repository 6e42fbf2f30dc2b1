package io.reactivetransfer.weights.plan;

import io.reactivetransfer.weights.Rank;
import io.reactivetransfer.weights.RegionSpec;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** A table as lines of text. */
final class TableText {

  private final RoutingTable table;

  TableText(RoutingTable table) {
    this.table = table;
  }

  static String of(RoutingTable table) {
    StringBuilder text = new StringBuilder();
    TableText lines = new TableText(table);
    lines.head().forEach(line -> text.append(line).append('\n'));
    for (int source = 0; source < table.sources().size(); source++) {
      String name = table.sources().get(source).name();
      for (Step step : table.steps(source)) {
        text.append(name).append(" #").append(step.order()).append('\n');
        lines.lines(step).forEach(line -> text.append("  ").append(line).append('\n'));
      }
    }
    return text.toString();
  }

  /** What does not belong to a rank: ranks, groups, tensors. */
  List<String> head() {
    List<String> lines = new ArrayList<>();
    table.sources().forEach(rank -> lines.add("source " + text(rank)));
    table.targets().forEach(rank -> lines.add("target " + text(rank)));
    table.groups().forEach(group -> lines.add("group " + group));
    table.tensors().forEach(tensor -> lines.add("tensor " + text(tensor)));
    table.unused().forEach(name -> lines.add("unused " + name));
    return lines;
  }

  private static String text(Rank rank) {
    StringBuilder text = new StringBuilder(rank.name());
    text.append(", NICs ").append(rank.nics()).append(", regions");
    for (RegionSpec region : rank.regions()) {
      text.append(' ').append(region.bytes()).append(region.isRegistered() ? "" : " (loaded)");
    }
    return text.toString();
  }

  private String text(TableTensor tensor) {
    String scales =
        tensor.unit() == null
            ? ""
            : ", a scale in "
                + table.tensors().get(tensor.scales()).tensor().name()
                + " for each "
                + tensor.unit();
    return tensor.tensor() + ", group " + table.groups().get(tensor.group()) + scales;
  }

  /** What a step does; the number of its order is left out. */
  List<String> lines(Step step) {
    List<String> lines = new ArrayList<>();
    String tensor = table.tensors().get(step.tensor()).tensor().name();
    String to =
        switch (step) {
          case Step.Write _ -> {
            lines.add("write " + tensor);
            yield "";
          }
          case Step.Gather gather -> {
            String preparer = table.sources().get(gather.preparer()).name();
            lines.add(
                "gather " + tensor + " at " + preparer + " in " + gather.gatherBytes() + " bytes");
            yield preparer + " gathered";
          }
          case Step.Prepare prepare -> {
            addPrepare(prepare, tensor, lines);
            yield "";
          }
        };
    for (int run = 0; run < step.runs().size(); run++) {
      lines.add(text(step.runs(), run, to));
    }
    return lines;
  }

  private static void addPrepare(Step.Prepare step, String tensor, List<String> lines) {
    String gathered =
        step.gatherBytes() == 0
            ? ""
            : ", " + step.gatherBytes() + " bytes gathered by " + step.gatherWrites() + " runs";
    lines.add("prepare " + tensor + " " + step.box() + gathered);
    for (Input input : step.inputs()) {
      String where =
          input.isGathered()
              ? "gathered at " + input.place().offset()
              : "region " + input.place().region() + " at " + input.place().offset();
      lines.add(
          "  of "
              + input.type()
              + " "
              + input.box()
              + " "
              + where
              + ", strides "
              + Arrays.toString(input.place().strides()));
    }
  }

  private String text(Runs runs, int run, String gathered) {
    int region = runs.sourceRegion(run);
    String from =
        switch (region) {
          case Runs.OUTPUT -> "output";
          case Runs.SCALES -> "scales";
          default -> "region " + region;
        };
    String to =
        gathered.isEmpty() ? ranks(runs, run) + " region " + runs.targetRegion(run) : gathered;
    String rows =
        runs.rows(run) == 1
            ? ""
            : " in "
                + runs.rows(run)
                + " rows of "
                + runs.rowBytes(run)
                + ", strides "
                + runs.sourceStride(run)
                + " and "
                + runs.targetStride(run);
    return "  "
        + from
        + " at "
        + runs.sourceOffset(run)
        + " to "
        + to
        + " at "
        + runs.targetOffset(run)
        + ": "
        + runs.bytes(run)
        + " bytes"
        + rows;
  }

  /** Their names. */
  private String ranks(Runs runs, int run) {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < runs.targets(run); i++) {
      text.append(i == 0 ? "" : ", ").append(table.targets().get(runs.target(run, i)).name());
    }
    return text.toString();
  }
}
