package io.reactivetransfer.simulation;

import io.reactivetransfer.AimedWrite;
import io.reactivetransfer.GatherList;
import io.reactivetransfer.PagedWrite;
import io.reactivetransfer.simulation.network.Weather;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Rows that one write brings together, drawn: none now and then, in any order, and some of them
 * again. What the write must do with them, and what an engine makes of it, is said here once more.
 */
final class Listing {

  private static final int MAX_ROWS = 24;
  private static final int FEW_ROWS = 3;

  /** Rows of the source that may be listed. */
  private static final int MAX_SOURCE_ROWS = 20;

  private static final int MAX_GAP = 8;
  private static final int MAX_COUNTED_PIECES = 8;

  private final GatherList list;
  private final int rowLength;
  private final int sourceStride;
  private final int targetStride;
  private int[] rows;

  /** Whether one row follows another, and the write is aimed at them without the list. */
  private boolean inRows;

  private Listing(GatherList list) {
    this.list = list;
    this.rowLength = (int) list.rowLength();
    this.sourceStride = (int) list.sourceStride();
    this.targetStride = (int) list.targetStride();
    this.rows = new int[0];
  }

  /**
   * Some rows.
   *
   * @param used a list that nobody uses any more: it is cleared and filled at times, instead of a
   *     new one
   */
  static Listing draw(@Nullable GatherList used, Weather weather, SplittableRandom random) {
    boolean again = used != null && random.nextInt(3) > 0;
    Listing listing = new Listing(again && used != null ? used : newList(weather, random));
    listing.drawRows(random);
    return listing;
  }

  private static GatherList newList(Weather weather, SplittableRandom random) {
    // where nobody knows what has come, a row of many pieces is hardly ever taken
    int rowLength = 1 + random.nextInt(weather.sourceFree() ? 16 : 30);
    int sourceStride = 1 + random.nextInt(rowLength + MAX_GAP);
    int targetStride = rowLength + random.nextInt(MAX_GAP + 1);
    return GatherList.of(rowLength, sourceStride, targetStride);
  }

  private void drawRows(SplittableRandom random) {
    int size =
        switch (random.nextInt(10)) {
          case 0 -> 0;
          case 1, 2, 3 -> 1 + random.nextInt(FEW_ROWS);
          default -> 1 + random.nextInt(MAX_ROWS);
        };
    int sourceRows = 1 + random.nextInt(MAX_SOURCE_ROWS);
    int order = random.nextInt(6);
    inRows = order == 0 && size > 0;
    rows =
        order < 2 ? IntStream.range(0, size).toArray() : random.ints(size, 0, sourceRows).toArray();
  }

  /** Leaves rows out until an engine takes it over for sure. */
  void shorten(Weather weather) {
    while (isRejected(weather)) {
      rows = Arrays.copyOf(rows, rows.length / 2);
    }
  }

  /**
   * Whether engines reject it: it is more writes than can be counted, and nobody knows when the
   * others have come.
   */
  boolean isRejected(Weather weather) {
    return weather.sourceFree() && writes(weather) > MAX_COUNTED_PIECES;
  }

  private long writes(Weather weather) {
    boolean whole = sourceStride == rowLength && targetStride == rowLength;
    if (rows.length == 0 || (inRows && (whole || rows.length == 1))) {
      return 1; // one range of bytes is counted, however long it is
    }
    long most = weather.maxWriteBytes();
    if (rowLength > most) {
      return rows.length * Math.ceilDiv((long) rowLength, most);
    }
    long together = Math.min(most / rowLength, inRows ? weather.maxRows() : weather.maxGather());
    return Math.ceilDiv((long) rows.length, together);
  }

  /** From the beginning of row 0 to the end of the row that lies last. */
  int sourceExtent() {
    return rows.length == 0 ? 0 : Arrays.stream(rows).max().getAsInt() * sourceStride + rowLength;
  }

  int targetExtent() {
    return rows.length == 0 ? 0 : (rows.length - 1) * targetStride + rowLength;
  }

  /** Fills the list, and aims a write that is on its way nowhere. */
  void aim(AimedWrite write, int sourceOffset, int targetOffset) {
    list.clear();
    for (int begin = 0, end; begin < rows.length; begin = end) {
      for (end = begin + 1; end < rows.length && rows[end] == rows[end - 1] + 1; end++) {}
      list.addRange(rows[begin], end - begin);
    }
    if (inRows) {
      var page = new PagedWrite.Rows(rows.length, rowLength, sourceStride, targetStride);
      write.aim(page, sourceOffset, targetOffset);
    } else {
      write.aim(list, sourceOffset, targetOffset);
    }
  }

  /** Puts the rows where they belong; what lies between them stays. */
  void gather(byte[] source, byte[] target) {
    for (int i = 0; i < rows.length; i++) {
      System.arraycopy(source, rows[i] * sourceStride, target, i * targetStride, rowLength);
    }
  }
}
