package io.reactivetransfer.kvcache;

import io.reactivetransfer.Imm;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.MemorySlice;
import io.reactivetransfer.PagedWrite;
import io.reactivetransfer.RemoteRegion;
import io.reactivetransfer.RemoteSlice;
import io.reactivetransfer.Transfer;
import java.util.List;

/** Turns what a {@link KvMapping} says into what an engine does. */
final class RowWrites {

  private RowWrites() {}

  /**
   * The transfer of equal units, each counted once under the immediate.
   *
   * @param source the regions of the source's layout
   * @param target the regions of the target's layout
   */
  static Transfer of(
      KvTransferPart part, List<MemoryRegion> source, List<RemoteRegion> target, Imm imm) {
    PagedWrite.Side<MemorySlice> from = source(part.source(), source);
    PagedWrite.Side<RemoteSlice> to = target(part.target(), target);
    PagedWrite.Rows rows =
        new PagedWrite.Rows(
            part.rows(), part.rowBytes(), part.source().rowStride(), part.target().rowStride());
    return PagedWrite.of(rows, from, to, imm);
  }

  private static PagedWrite.Side<MemorySlice> source(
      KvTransferPart.Side side, List<MemoryRegion> regions) {
    MemoryRegion region = regions.get(side.region());
    MemorySlice slice = region.slice(side.offset(), region.length() - side.offset());
    return new PagedWrite.Side<>(slice, side.pages(), side.pageStride());
  }

  private static PagedWrite.Side<RemoteSlice> target(
      KvTransferPart.Side side, List<RemoteRegion> regions) {
    RemoteRegion region = regions.get(side.region());
    RemoteSlice slice = region.slice(side.offset(), region.length() - side.offset());
    return new PagedWrite.Side<>(slice, side.pages(), side.pageStride());
  }
}
