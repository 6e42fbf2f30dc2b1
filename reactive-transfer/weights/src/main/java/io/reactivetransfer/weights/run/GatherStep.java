package io.reactivetransfer.weights.run;

import io.reactivetransfer.AimedWrite;
import io.reactivetransfer.Imm;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.RemoteRegion;
import io.reactivetransfer.Transfer;
import io.reactivetransfer.weights.plan.Runs;
import io.reactivetransfer.weights.plan.Step;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What this rank writes for another one that prepares, and where it has it. */
final class GatherStep {

  final StepState state;
  final Step.Gather gather;
  private final Trainer trainer;
  private final @Nullable MemoryRegion temporaries;

  /** Made for the first grant, and redirected for each other one. */
  private AimedWrite @Nullable [] writes;

  GatherStep(
      Trainer trainer, StepState state, Step.Gather gather, @Nullable MemoryRegion temporaries) {
    this.trainer = trainer;
    this.state = state;
    this.gather = gather;
    this.temporaries = temporaries;
  }

  /** As the rank that prepares is asked for it. */
  GatherMessage.AskedStep asked() {
    return new GatherMessage.AskedStep(gather.order(), gather.gatherBytes());
  }

  private boolean isLoaded(int run) {
    int region = gather.runs().sourceRegion(run);
    return !trainer.table.sources().get(trainer.rank).regions().get(region).isRegistered();
  }

  /** Brings what NICs cannot read into the temporary of the step, row behind row. */
  void load() {
    MemorySegment to = Objects.requireNonNull(trainer.temporaries);
    Runs runs = gather.runs();
    long at = state.offset;
    for (int run = 0; run < runs.size(); run++) {
      if (isLoaded(run)) {
        trainer.copyRows(runs, run, to, at);
        at += runs.bytes(run);
      }
    }
  }

  /** The writes to where there is room; those of the run before must not be on their way. */
  synchronized Transfer[] writes(RemoteRegion to, long toOffset, Imm counted) {
    AimedWrite[] made = writes;
    writes = null; // until all of them go there
    Runs runs = gather.runs();
    if (made == null) {
      made = make(to, toOffset, counted);
    } else {
      for (int run = 0; run < made.length; run++) {
        long target = Math.addExact(toOffset, runs.targetOffset(run));
        made[run].redirect(to, target, counted);
      }
    }
    writes = made;
    return made;
  }

  private AimedWrite[] make(RemoteRegion to, long toOffset, Imm counted) {
    Runs runs = gather.runs();
    AimedWrite[] made = new AimedWrite[runs.size()];
    long at = state.offset;
    for (int run = 0; run < made.length; run++) {
      long target = Math.addExact(toOffset, runs.targetOffset(run));
      if (isLoaded(run)) {
        MemoryRegion from = Objects.requireNonNull(temporaries);
        long stride = runs.rowBytes(run);
        made[run] = StepWrites.write(runs, run, from, at, stride, to, target, counted);
        at += runs.bytes(run);
      } else {
        MemoryRegion from = trainer.region(runs.sourceRegion(run));
        long source = runs.sourceOffset(run);
        long stride = runs.sourceStride(run);
        made[run] = StepWrites.write(runs, run, from, source, stride, to, target, counted);
      }
    }
    return made;
  }
}
