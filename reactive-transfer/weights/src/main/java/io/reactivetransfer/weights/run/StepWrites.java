package io.reactivetransfer.weights.run;

import io.reactivetransfer.AimedWrite;
import io.reactivetransfer.Imm;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.PagedWrite;
import io.reactivetransfer.RemoteRegion;
import io.reactivetransfer.weights.plan.Runs;

/** Makes writes of runs: one for each run and target. */
final class StepWrites {

  private StepWrites() {}

  /** Rows as the engine knows them. */
  static PagedWrite.Rows rows(Runs runs, int run, long sourceStride) {
    return new PagedWrite.Rows(
        runs.rows(run), runs.rowBytes(run), sourceStride, runs.targetStride(run));
  }

  /**
   * One run to one target.
   *
   * @param source the region that it leaves
   * @param sourceOffset of its first row there
   * @param sourceStride from one row to the next there
   * @param target the region that it goes to
   * @param targetOffset of its first row there
   */
  static AimedWrite write(
      Runs runs,
      int run,
      MemoryRegion source,
      long sourceOffset,
      long sourceStride,
      RemoteRegion target,
      long targetOffset,
      Imm imm) {
    AimedWrite write = AimedWrite.between(source, target, imm);
    return runs.rows(run) == 1
        ? write.aim(sourceOffset, targetOffset, runs.rowBytes(run))
        : write.aim(rows(runs, run, sourceStride), sourceOffset, targetOffset);
  }
}
