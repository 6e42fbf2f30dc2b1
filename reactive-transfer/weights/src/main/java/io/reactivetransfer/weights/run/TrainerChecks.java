package io.reactivetransfer.weights.run;

import io.reactivetransfer.HostMemory;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.weights.Rank;
import io.reactivetransfer.weights.RegionSpec;
import io.reactivetransfer.weights.plan.Input;
import io.reactivetransfer.weights.plan.RoutingTable;
import io.reactivetransfer.weights.plan.Runs;
import io.reactivetransfer.weights.plan.Step;
import java.util.List;

/** What is refused before a rank of the trainer does anything. */
final class TrainerChecks {

  private TrainerChecks() {}

  static void requireMemory(TransferEngine engine, Rank rank, List<SourceMemory> memory) {
    if (memory.size() != rank.regions().size()) {
      throw new IllegalArgumentException(
          "expected "
              + rank.regions().size()
              + " regions of rank "
              + rank.name()
              + ", got "
              + memory.size());
    }
    for (int i = 0; i < memory.size(); i++) {
      RegionSpec spec = rank.regions().get(i);
      SourceMemory one = memory.get(i);
      if (one.length() < spec.bytes()) {
        throw new IllegalArgumentException(
            "expected region "
                + i
                + " of rank "
                + rank.name()
                + " to have "
                + spec.bytes()
                + " bytes, got "
                + one.length());
      }
      if (spec.isRegistered() && !(one instanceof SourceMemory.Registered)) {
        throw new IllegalArgumentException(
            "expected region " + i + " of rank " + rank.name() + " to be registered, got " + one);
      }
      if (one instanceof SourceMemory.Registered registered) {
        requireOurs(engine, "region " + i + " of rank " + rank.name(), registered.region());
      }
    }
  }

  private static void requireOurs(TransferEngine engine, String what, MemoryRegion region) {
    if (!region.engine().equals(engine.id())) {
      throw new IllegalArgumentException(
          "expected "
              + what
              + " to be registered with engine "
              + engine.id()
              + ", which writes, got one of engine "
              + region.engine());
    }
    if (region.isClosed()) {
      throw new IllegalArgumentException(
          "expected " + what + " to be registered, got a region that is closed");
    }
  }

  /** Refuses what a step needs and this rank has not. */
  static void require(
      TransferEngine engine,
      RoutingTable table,
      int source,
      Step step,
      List<SourceMemory> memory,
      RunOptions options) {
    String tensor = table.tensors().get(step.tensor()).tensor().name();
    long bytes = table.temporaryBytes(source, step);
    if (bytes > options.temporaryBytes()) {
      throw new IllegalArgumentException(
          "expected temporaries of at least "
              + bytes
              + " bytes, which one step of tensor "
              + tensor
              + " takes, got a watermark of "
              + options.temporaryBytes());
    }
    for (int run = 0; run < step.runs().size(); run++) {
      requireCounted(engine, step.runs(), run, tensor);
    }
    if (step instanceof Step.Prepare prepare) {
      for (Input input : prepare.inputs()) {
        SourceMemory from = memory.get(input.place().region());
        if (!input.isGathered()
            && from instanceof SourceMemory.Registered one
            && !(one.region().memory() instanceof HostMemory)) {
          throw new IllegalArgumentException(
              "expected memory of the host to prepare tensor "
                  + tensor
                  + " of, got "
                  + one.region().memory().device());
        }
      }
    }
  }

  /** Refuses a table that needs the other ranks, if it is not known where they are. */
  static void requireOthers(Trainer trainer) {
    int known = trainer.options.trainers().size();
    if (known == 0 ? trainer.needsOthers() : known != trainer.table.sources().size()) {
      throw new IllegalArgumentException(
          "expected the engines of "
              + trainer.table.sources().size()
              + " ranks of the trainer, got "
              + known);
    }
  }

  private static void requireCounted(TransferEngine engine, Runs runs, int run, String tensor) {
    if (runs.rows(run) > 1
        && !engine.canCount(StepWrites.rows(runs, run, runs.sourceStride(run)))) {
      throw new IllegalArgumentException(
          "expected NICs that can count "
              + runs.rows(run)
              + " rows of tensor "
              + tensor
              + " as one write, got backend "
              + engine.backend());
    }
  }

  static void requireTargets(RoutingTable table, UpdateTargets update) {
    List<TargetMemory> targets = update.targets();
    if (targets.size() != table.targets().size()) {
      throw new IllegalArgumentException(
          "expected memory of each of "
              + table.targets().size()
              + " inference ranks, got "
              + targets.size());
    }
    for (int i = 0; i < targets.size(); i++) {
      Rank rank = table.targets().get(i);
      TargetMemory target = targets.get(i);
      if (target.isNone()) {
        continue;
      }
      if (target.regions().size() != rank.regions().size()) {
        throw new IllegalArgumentException(
            "expected "
                + rank.regions().size()
                + " regions of rank "
                + rank.name()
                + ", got "
                + target.regions().size());
      }
      for (int j = 0; j < target.regions().size(); j++) {
        if (target.regions().get(j).length() < rank.regions().get(j).bytes()) {
          throw new IllegalArgumentException(
              "expected region "
                  + j
                  + " of rank "
                  + rank.name()
                  + " to have "
                  + rank.regions().get(j).bytes()
                  + " bytes, got "
                  + target.regions().get(j).length());
        }
      }
    }
  }
}
