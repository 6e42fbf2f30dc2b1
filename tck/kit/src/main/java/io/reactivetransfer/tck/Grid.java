package io.reactivetransfer.tck;

import io.reactivetransfer.Imm;
import io.reactivetransfer.PageList;
import io.reactivetransfer.PagedWrite;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Pages of rows, of which page i of the source goes to page (pages - 1 - i) of the target.
 *
 * @param duo between whom
 * @param pages how many
 * @param rows what each consists of
 * @param sourceStride of the pages
 * @param targetStride of the pages
 */
record Grid(Duo duo, int pages, PagedWrite.Rows rows, long sourceStride, long targetStride) {

  /** Where the pages of the target begin. */
  private static final long SINK = 640;

  /** Pages that lie one behind the other, with rows that have gaps on both sides. */
  static Grid of(Duo duo, int pages, int rows, long rowLength) {
    PagedWrite.Rows all = new PagedWrite.Rows(rows, rowLength, rowLength + 8, rowLength + 5);
    return new Grid(duo, pages, all, all.sourceExtent() + 16, all.targetExtent() + 7);
  }

  /** Pages of which each lies between the rows of the others at the target. */
  static Grid interleaved(Duo duo, int pages, int rows, long rowLength) {
    long stride = rowLength + 3;
    PagedWrite.Rows all = new PagedWrite.Rows(rows, rowLength, rowLength, pages * stride);
    return new Grid(duo, pages, all, all.sourceExtent() + 1, stride);
  }

  private long sourceLength() {
    return (pages - 1) * sourceStride + rows.sourceExtent();
  }

  private long targetLength() {
    return (pages - 1) * targetStride + rows.targetExtent();
  }

  PagedWrite write(@Nullable Imm imm) {
    int[] to = IntStream.range(0, pages).map(page -> pages - 1 - page).toArray();
    return PagedWrite.of(
        rows,
        new PagedWrite.Side<>(
            duo.source(0, sourceLength()), PageList.range(0, pages), sourceStride),
        new PagedWrite.Side<>(duo.sink(SINK, targetLength()), PageList.of(to), targetStride),
        imm);
  }

  /** Notes that the target's memory should have what was written. */
  void expect() {
    for (int page = 0; page < pages; page++) {
      long from = page * sourceStride;
      long to = SINK + (pages - 1 - page) * targetStride;
      for (int row = 0; row < rows.count(); row++) {
        duo.to()
            .expectCopy(
                to + row * rows.targetStride(),
                duo.from(),
                duo.source(from + row * rows.sourceStride(), rows.length()).offset(),
                rows.length());
      }
    }
  }

  @Override
  public String toString() {
    return pages + " pages of " + rows.count() + " rows of " + rows.length() + " bytes";
  }
}
