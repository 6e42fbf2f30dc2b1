package io.reactivetransfer.weights.run;

import io.reactivetransfer.AimedWrite;
import io.reactivetransfer.Imm;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.RemoteRegion;
import io.reactivetransfer.Transfer;
import io.reactivetransfer.weights.plan.Runs;
import io.reactivetransfer.weights.plan.Step;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.IdentityHashMap;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The writes of all steps: made once, and used again in every update to the same ranks, whichever
 * regions and immediates it has. One run at a time uses them.
 */
final class PreparedWrites {

  private List<TargetMemory> targets;

  /** The steps whose writes were made here, and not for what is gathered. */
  private final List<StepState> made = new ArrayList<>();

  private final IdentityHashMap<StepState, Transfer[]> ofStep = new IdentityHashMap<>();
  private final IdentityHashMap<Transfer, StepState> steps = new IdentityHashMap<>();

  private PreparedWrites(List<TargetMemory> targets) {
    this.targets = targets;
  }

  /** Makes those of all steps but the ones that gather for others. */
  static PreparedWrites of(
      List<StepState> all,
      List<TargetMemory> targets,
      List<SourceMemory> memory,
      @Nullable MemoryRegion temporaries) {
    PreparedWrites prepared = new PreparedWrites(targets);
    for (StepState step : all) {
      if (!(step.step instanceof Step.Gather)) {
        prepared.made.add(step);
        prepared.add(step, writes(step, targets, memory, temporaries));
      }
    }
    return prepared;
  }

  /** Whether they can go there: the same ranks are left out. */
  boolean canGoTo(List<TargetMemory> others) {
    if (others.size() != targets.size()) {
      return false;
    }
    for (int i = 0; i < others.size(); i++) {
      if (others.get(i).isNone() != targets.get(i).isNone()) {
        return false;
      }
    }
    return true;
  }

  /**
   * Has them go there, where they can. If that throws, some do and others do not: they are to be
   * made anew.
   *
   * @throws IllegalStateException if one of them is on its way
   */
  synchronized void redirect(List<TargetMemory> others) {
    if (targets.equals(others)) {
      return;
    }
    for (StepState step : made) {
      Runs runs = step.step.runs();
      Transfer[] writes = of(step);
      int next = 0;
      for (int run = 0; run < runs.size(); run++) {
        for (int i = 0; i < runs.targets(run); i++) {
          TargetMemory target = others.get(runs.target(run, i));
          if (!target.isNone()) {
            AimedWrite write = (AimedWrite) writes[next++];
            write.redirect(target.regions().get(runs.targetRegion(run)), target.imm());
          }
        }
      }
    }
    targets = others;
  }

  /** Those of a step. */
  synchronized Transfer[] of(StepState step) {
    Transfer[] writes = ofStep.get(step);
    return writes == null ? StepState.NONE : writes;
  }

  /** Whose a write is. */
  synchronized @Nullable StepState step(Transfer write) {
    return steps.get(write);
  }

  /** Replaces those of a step. */
  @SuppressWarnings("ReferenceEquality") // the very same array
  synchronized void add(StepState step, Transfer[] writes) {
    Transfer[] before = ofStep.put(step, writes);
    if (before == writes) {
      return;
    }
    if (before != null) {
      for (Transfer write : before) {
        steps.remove(write);
      }
    }
    for (Transfer write : writes) {
      steps.put(write, step);
    }
  }

  private static Transfer[] writes(
      StepState step,
      List<TargetMemory> targets,
      List<SourceMemory> memory,
      @Nullable MemoryRegion temporaries) {
    Runs runs = step.step.runs();
    Transfer[] writes = new Transfer[Math.toIntExact(runs.writes())];
    int next = 0;
    for (int run = 0; run < runs.size(); run++) {
      int region = runs.sourceRegion(run);
      MemoryRegion source = region >= 0 ? registered(memory.get(region)) : required(temporaries);
      long offset = runs.sourceOffset(run);
      if (region == Runs.OUTPUT) {
        offset += step.outputOffset();
      } else if (region == Runs.SCALES) {
        offset += step.scalesOffset();
      }
      for (int i = 0; i < runs.targets(run); i++) {
        TargetMemory target = targets.get(runs.target(run, i));
        if (target.isNone()) {
          continue;
        }
        RemoteRegion to = target.regions().get(runs.targetRegion(run));
        Imm imm = target.imm();
        writes[next++] =
            StepWrites.write(
                runs, run, source, offset, runs.sourceStride(run), to, runs.targetOffset(run), imm);
      }
    }
    return next == writes.length ? writes : Arrays.copyOf(writes, next);
  }

  static MemoryRegion registered(SourceMemory memory) {
    if (memory instanceof SourceMemory.Registered one) {
      return one.region();
    }
    throw new IllegalStateException("expected registered memory, got " + memory);
  }

  private static MemoryRegion required(@Nullable MemoryRegion temporaries) {
    if (temporaries == null) {
      throw new IllegalStateException("expected temporaries, got none");
    }
    return temporaries;
  }
}
