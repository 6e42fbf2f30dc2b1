package io.reactivetransfer.weights.run;

import io.reactivetransfer.Imm;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.MemorySlice;
import io.reactivetransfer.PageList;
import io.reactivetransfer.PagedWrite;
import io.reactivetransfer.RemoteRegion;
import io.reactivetransfer.RemoteSlice;
import io.reactivetransfer.Transfer;
import io.reactivetransfer.WriteImm;
import io.reactivetransfer.weights.plan.Runs;

/** Makes writes of runs: one for each run and target. */
final class StepWrites {

  private static final PageList ONE_PAGE = PageList.range(0, 1);

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
  static Transfer write(
      Runs runs,
      int run,
      MemoryRegion source,
      long sourceOffset,
      long sourceStride,
      RemoteRegion target,
      long targetOffset,
      Imm imm) {
    if (runs.rows(run) == 1) {
      long length = runs.rowBytes(run);
      return WriteImm.of(
          source.slice(sourceOffset, length), target.slice(targetOffset, length), imm);
    }
    PagedWrite.Rows rows = rows(runs, run, sourceStride);
    MemorySlice from = source.slice(sourceOffset, rows.sourceExtent());
    RemoteSlice to = target.slice(targetOffset, rows.targetExtent());
    return PagedWrite.of(
        rows,
        new PagedWrite.Side<>(from, ONE_PAGE, rows.sourceExtent()),
        new PagedWrite.Side<>(to, ONE_PAGE, rows.targetExtent()),
        imm);
  }
}
