package io.reactivetransfer.examples.weights;

import io.reactivetransfer.Device;
import io.reactivetransfer.examples.report.FigureTable;
import io.reactivetransfer.tools.ByteCount;
import io.reactivetransfer.tools.Gpus;
import io.reactivetransfer.tools.Provider;
import io.reactivetransfer.weights.plan.RoutingTable;
import io.reactivetransfer.weights.plan.Step;
import io.reactivetransfer.weights.run.StageProgress;
import java.util.stream.Collectors;

/** The figures of one update: where its time went. */
final class ResultTable {

  private ResultTable() {}

  /** The first lines: of what, and after which plan. */
  static void head(FigureTable table, Cluster cluster) {
    Plan plan = cluster.plan;
    Model model = cluster.weights.model();
    String types =
        model.held().stream()
            .map(one -> one.tensor().type())
            .distinct()
            .map(type -> Layout.nameOf(type).isEmpty() ? type.toString() : Layout.nameOf(type))
            .collect(Collectors.joining(" and "));
    table.line(
        "weights",
        "%s in %,d tensors, %d layers, %s; from %s (%d) to %s (%d) over %s%s"
            .formatted(
                new ByteCount(model.bytes()),
                model.held().size(),
                model.layers(),
                types,
                plan.from(),
                plan.trainers(),
                plan.to(),
                plan.ranks(),
                Provider.carrier(plan.backend(), plan.provider()),
                leftOut(cluster.weights)));
    if (!plan.device().equals(Device.HOST)) {
      String where = plan.file() == null ? "on both sides" : "at inference ranks";
      table.line("device", Gpus.line(plan.device(), where));
    }
    RoutingTable routes = cluster.table;
    table.line(
        "plan",
        "%,d steps, %,d writes; %s to ranks and %s between trainers; made in %.0f ms"
            .formatted(
                steps(routes),
                writes(routes),
                new ByteCount(bytes(routes, false)),
                new ByteCount(bytes(routes, true)),
                cluster.planNanos / 1e6));
  }

  private static String leftOut(Weights weights) {
    return weights instanceof FileWeights files && files.leftOut() > 0
        ? "; %d tensors of other types or without elements left out".formatted(files.leftOut())
        : "";
  }

  private static int steps(RoutingTable routes) {
    int steps = 0;
    for (int i = 0; i < routes.sources().size(); i++) {
      steps += routes.steps(i).size();
    }
    return steps;
  }

  /** Writes of all trainers together. */
  static long writes(RoutingTable routes) {
    long writes = 0;
    for (int i = 0; i < routes.sources().size(); i++) {
      writes += writes(routes, i);
    }
    return writes;
  }

  /** Writes of one trainer. */
  static long writes(RoutingTable routes, int trainer) {
    return routes.steps(trainer).stream().mapToLong(step -> step.runs().writes()).sum();
  }

  /** Bytes that all trainers write, to each other too. */
  static long bytes(RoutingTable routes) {
    return bytes(routes, false) + bytes(routes, true);
  }

  private static long bytes(RoutingTable routes, boolean isGathered) {
    long bytes = 0;
    for (int i = 0; i < routes.sources().size(); i++) {
      for (Step step : routes.steps(i)) {
        if (step instanceof Step.Gather == isGathered) {
          for (int run = 0; run < step.runs().size(); run++) {
            bytes += step.runs().bytes(run) * (isGathered ? 1 : step.runs().targets(run));
          }
        }
      }
    }
    return bytes;
  }

  /** Where the time of the slowest trainer went. */
  static void update(FigureTable table, Cluster cluster, Measured update) {
    UpdateEnd end = update.end();
    table.line(
        "update",
        ("%d of %d: %.2f ms; %.2f until all ranks were open, %.2f until trainers had written, %.2f"
                + " until all had flipped")
            .formatted(
                update.number(),
                update.count(),
                end.millis(),
                (end.toldNanos() - end.beganNanos()) / 1e6,
                (end.writtenNanos() - end.toldNanos()) / 1e6,
                (end.endedNanos() - end.writtenNanos()) / 1e6));
    int index = update.slowest();
    TrainerFigures slowest = update.trainers().get(index);
    long all = slowest.elapsedNanos();
    table.line(
        "run",
        "%.2f ms of %s, the slowest; shares of that, on several threads at once"
            .formatted(all / 1e6, Role.TRAINER.name(index)));
    stage(table, "  load", slowest.loaded(), all);
    table.line(
        "  gather",
        "%.1f us on average x %,d steps waited for %s of others"
            .formatted(
                slowest.gathered().nanos() / 1e3 / Math.max(1, slowest.gathered().steps()),
                slowest.gathered().steps(),
                new ByteCount(slowest.gathered().bytes())));
    stage(table, "  prepare", slowest.prepared(), all);
    long writes = writes(cluster.table, index);
    table.line(
        "  submit",
        "%s%.3f us x %,d writes handed over"
            .formatted(
                share(slowest.written().nanos(), all),
                slowest.written().nanos() / 1e3 / Math.max(1, writes),
                writes));
    table.line(
        "  wait", share(slowest.waitNanos(), all) + "all handed over, the last ones on their way");
    table.line(
        "wire",
        "%s/s: %s, also between trainers, in the time of the slowest"
            .formatted(gigabytes(update.bytesPerSecond()), new ByteCount(update.bytes())));
  }

  private static void stage(FigureTable table, String name, StageProgress stage, long all) {
    table.line(
        name,
        share(stage.nanos(), all)
            + "%.1f us x %,d steps, %s"
                .formatted(
                    stage.nanos() / 1e3 / Math.max(1, stage.steps()),
                    stage.steps(),
                    new ByteCount(stage.bytes())));
  }

  private static String share(long nanos, long all) {
    return "%8.2f ms, %3.0f %%: ".formatted(nanos / 1e6, 100.0 * nanos / Math.max(1, all));
  }

  static String gigabytes(double bytes) {
    return "%.2f GB".formatted(bytes / 1e9);
  }

  /** The last line. */
  static void verified(FigureTable table, Cluster cluster, Measured last) {
    table.line(
        "verified",
        "%,d bytes of %d ranks behind each of %d updates, against a reference of one process"
            .formatted(last.verified(), cluster.plan.ranks(), last.count()));
  }
}
