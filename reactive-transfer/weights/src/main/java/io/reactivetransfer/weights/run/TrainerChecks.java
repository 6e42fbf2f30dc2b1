package io.reactivetransfer.weights.run;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.weights.Rank;
import io.reactivetransfer.weights.RegionSpec;
import io.reactivetransfer.weights.plan.RoutingTable;
import io.reactivetransfer.weights.plan.Runs;
import io.reactivetransfer.weights.plan.Step;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

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

  /**
   * Refuses what a step needs and this rank has not.
   *
   * @param bytes of temporaries that it takes
   */
  static void require(
      TransferEngine engine, RoutingTable table, Step step, long bytes, RunOptions options) {
    String tensor = table.tensors().get(step.tensor()).tensor().name();
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
    if (trainer.needsOthers()) {
      requireApart(trainer);
    }
  }

  /** Ranks that have to do with each other tell each other apart by their engines. */
  private static void requireApart(Trainer trainer) {
    Map<EngineId, Integer> ranks = new HashMap<>();
    for (int rank = 0; rank < trainer.options.trainers().size(); rank++) {
      EngineId engine = trainer.options.trainers().get(rank).engine();
      Integer other = ranks.putIfAbsent(engine, rank);
      if (other != null) {
        throw new IllegalArgumentException(
            "expected each rank of the trainer on an engine of its own, got engine "
                + engine
                + " for ranks "
                + other
                + " and "
                + rank);
      }
    }
    EngineId own = trainer.options.trainers().get(trainer.rank).engine();
    if (!own.equals(trainer.engine.id())) {
      throw new IllegalArgumentException(
          "expected the engines of the trainer in the order of the table, with engine "
              + trainer.engine.id()
              + " for rank "
              + trainer.rank
              + ", got engine "
              + own);
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
