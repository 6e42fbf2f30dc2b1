package io.reactivetransfer.tools.perf;

import io.reactivetransfer.Imm;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.MemorySlice;
import io.reactivetransfer.PageList;
import io.reactivetransfer.PagedWrite;
import io.reactivetransfer.RemoteRegion;
import io.reactivetransfer.RemoteSlice;
import io.reactivetransfer.Scatter;
import io.reactivetransfer.Transfer;
import io.reactivetransfer.Write;
import io.reactivetransfer.WriteImm;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;

/** Prepares as many transfers as may be in flight, or as the memory has room for. */
final class Transfers {

  static final Imm IMM = Imm.of(1);

  /** Of a page, such as so many heads of a cache. */
  private static final int ROWS = 8;

  private Transfers() {}

  static List<Transfer> prepare(Op op, Layout layout, MemoryRegion source, RemoteRegion target) {
    PageList pages = shuffled(layout.parts());
    List<Transfer> transfers = new ArrayList<>(layout.prepared());
    for (int i = 0; i < layout.prepared(); i++) {
      transfers.add(prepare(op, layout, i, pages, source, target));
    }
    return transfers;
  }

  /** A write to each of the targets, from a part of the source of its own. */
  static List<Transfer> fanOut(Layout layout, MemoryRegion source, List<RemoteRegion> targets) {
    List<Transfer> writes = new ArrayList<>(targets.size());
    for (int i = 0; i < targets.size(); i++) {
      writes.add(
          WriteImm.of(
              source.slice(i * layout.size(), layout.size()),
              targets.get(i).slice(0, layout.size()),
              IMM));
    }
    return writes;
  }

  private static Transfer prepare(
      Op op, Layout layout, int slot, PageList pages, MemoryRegion source, RemoteRegion target) {
    long offset = layout.offset(slot);
    long length = layout.operationBytes();
    return switch (op) {
      case WRITE -> Write.of(source.slice(offset, length), target.slice(offset, length));
      case WRITE_IMM, PING_PONG ->
          WriteImm.of(source.slice(offset, length), target.slice(offset, length), IMM);
      case PAGED ->
          PagedWrite.of(
              layout.size(),
              source.slice(offset, length),
              pages,
              target.slice(offset, length),
              pages,
              IMM);
      case ROWS -> rows(layout, source.slice(offset, length), pages, target.slice(offset, length));
      case SCATTER ->
          new Scatter(
              IntStream.range(0, layout.parts())
                  .mapToLong(part -> offset + part * layout.size())
                  .mapToObj(at ->
                      new Scatter.Part(
                          source.slice(at, layout.size()), target.slice(at, layout.size())))
                  .toList(),
              IMM);
      case SEND, MESSAGE_PING_PONG, FAN_OUT ->
          throw new IllegalArgumentException("not one transfer: " + op);
    };
  }

  /** First row 0 of all pages, then row 1, on both sides. */
  private static PagedWrite rows(
      Layout layout, MemorySlice source, PageList pages, RemoteSlice target) {
    int count = layout.size() % ROWS == 0 ? ROWS : 1;
    long length = layout.size() / count;
    long stride = length * layout.parts();
    return PagedWrite.of(
        new PagedWrite.Rows(count, length, stride, stride),
        new PagedWrite.Side<>(source, pages, length),
        new PagedWrite.Side<>(target, pages, length),
        IMM);
  }

  /** Real pages are not in order either. */
  private static PageList shuffled(int pages) {
    List<Integer> order = new ArrayList<>(IntStream.range(0, pages).boxed().toList());
    Collections.shuffle(order, new Random(pages));
    return PageList.of(order.stream().mapToInt(Integer::intValue).toArray());
  }
}
