package io.reactivetransfer;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Writes pages of local memory to pages of remote memory, the first of one list to the first of the
 * other and so on. With an immediate, the target's counter goes up by one for each page.
 *
 * <p>Page {@code p} of a side begins {@code p * stride} bytes into its slice. It is one range of
 * bytes; or it consists of {@linkplain Rows rows}, such as the heads of a key-value cache that one
 * of several targets needs. A page counts once, and not before the last of its rows can be read.
 */
public final class PagedWrite implements Transfer {

  private final long pageLength;
  private final @Nullable Rows rows;
  private final Side<MemorySlice> source;
  private final Side<RemoteSlice> target;
  private final @Nullable Imm imm;

  /**
   * The pages on one side.
   *
   * @param <S> {@link MemorySlice} or {@link RemoteSlice}
   * @param slice where the pages lie
   * @param pages which of them
   * @param stride bytes from the beginning of one page to that of the next, at least 1
   */
  public record Side<S>(S slice, PageList pages, long stride) {

    /** Checks the stride. */
    public Side {
      if (stride < 1) {
        throw new IllegalArgumentException("expected a stride of 1 or more bytes, got " + stride);
      }
    }
  }

  /**
   * What each page consists of: rows of the same length, with a stride of each side's own. Row
   * {@code r} begins {@code r * stride} bytes behind the beginning of its page.
   *
   * @param count how many rows a page has, at least 1
   * @param length bytes of a row, at least 1
   * @param sourceStride bytes from the beginning of one row to that of the next at the source, at
   *     least 1
   * @param targetStride the same at the target; at least the length, if there are several rows, so
   *     that they do not overlap
   */
  public record Rows(int count, long length, long sourceStride, long targetStride) {

    /** Checks that the rows of the target do not overlap, and that a page is not too long. */
    public Rows {
      if (count < 1 || length < 1) {
        throw new IllegalArgumentException(
            "expected 1 or more rows of 1 or more bytes, got " + count + " of " + length);
      }
      requireStride("source", sourceStride, count, length);
      requireStride("target", targetStride, count, length);
      if (count > 1 && targetStride < length) {
        throw new IllegalArgumentException(
            "expected target rows that do not overlap (stride of at least the row length "
                + length
                + "), got a stride of "
                + targetStride);
      }
    }

    private static void requireStride(String what, long stride, int count, long length) {
      if (stride < 1) {
        throw new IllegalArgumentException(
            "expected a " + what + " stride of rows of 1 or more bytes, got " + stride);
      }
      if (count > 1 && stride > (Long.MAX_VALUE - length) / (count - 1)) {
        throw new IllegalArgumentException(
            "expected "
                + what
                + " rows within 2^63 bytes, got "
                + count
                + " of "
                + length
                + " bytes at a stride of "
                + stride);
      }
    }

    /** From the first byte of the first row to the last byte of the last one at the source. */
    public long sourceExtent() {
      return (count - 1) * sourceStride + length;
    }

    /** From the first byte of the first row to the last byte of the last one at the target. */
    public long targetExtent() {
      return (count - 1) * targetStride + length;
    }

    /** Whether a page of them is one range of bytes on both sides. */
    public boolean areWhole() {
      return count == 1 || (sourceStride == length && targetStride == length);
    }
  }

  private PagedWrite(
      long pageLength,
      @Nullable Rows rows,
      Side<MemorySlice> source,
      Side<RemoteSlice> target,
      @Nullable Imm imm) {
    if (pageLength < 1) {
      throw new IllegalArgumentException("expected pages of 1 or more bytes, got " + pageLength);
    }
    requireSide("source", source);
    requireSide("target", target);
    if (source.pages().size() != target.pages().size()) {
      throw new IllegalArgumentException(
          "expected as many target pages as source pages ("
              + source.pages().size()
              + "), got "
              + target.pages().size());
    }
    long sourceExtent = rows == null ? pageLength : rows.sourceExtent();
    long targetExtent = rows == null ? pageLength : rows.targetExtent();
    requireFits("source", source.slice().length(), sourceExtent, source);
    requireFits("target", target.slice().length(), targetExtent, target);
    if (target.stride() < targetExtent && target.pages().size() > 1) {
      requireInterleaved(target, pageLength, rows);
    }
    this.pageLength = pageLength;
    this.rows = rows;
    this.source = source;
    this.target = target;
    this.imm = imm;
  }

  /**
   * Pages that do not lie one behind the other overlap, unless each lies between the rows of the
   * others: first row 0 of all pages, then row 1 of all, and so on.
   */
  private static void requireInterleaved(
      Side<RemoteSlice> target, long pageLength, @Nullable Rows rows) {
    if (rows == null || rows.count() == 1) {
      throw new IllegalArgumentException(
          "expected target pages that do not overlap (stride of at least the page length "
              + pageLength
              + "), got a stride of "
              + target.stride());
    }
    // largest * stride + length fits a long: it lies within the slice, as was checked
    long ofAllPages = target.pages().largest() * target.stride() + rows.length();
    if (target.stride() < rows.length() || rows.targetStride() < ofAllPages) {
      throw new IllegalArgumentException(
          "expected target pages that do not overlap (a page stride of at least "
              + rows.targetExtent()
              + ", or of at least the row length "
              + rows.length()
              + " with a row stride of at least "
              + ofAllPages
              + "), got a page stride of "
              + target.stride()
              + " with a row stride of "
              + rows.targetStride());
    }
  }

  /**
   * Pages that lie without gaps on both sides.
   *
   * @param pageLength bytes of a page, at least 1
   * @param source where the source pages lie
   * @param sourcePages which of them
   * @param target where the target pages lie
   * @param targetPages which of them; as many
   * @param imm what is counted, or null
   */
  public static PagedWrite of(
      long pageLength,
      MemorySlice source,
      PageList sourcePages,
      RemoteSlice target,
      PageList targetPages,
      @Nullable Imm imm) {
    return of(
        pageLength,
        new Side<>(source, sourcePages, Math.max(1, pageLength)),
        new Side<>(target, targetPages, Math.max(1, pageLength)),
        imm);
  }

  /**
   * Pages with a stride of each side's own.
   *
   * @param pageLength bytes of a page, at least 1
   * @param source the source pages
   * @param target as many target pages, which do not overlap
   * @param imm what is counted, or null
   */
  public static PagedWrite of(
      long pageLength, Side<MemorySlice> source, Side<RemoteSlice> target, @Nullable Imm imm) {
    return new PagedWrite(pageLength, null, source, target, imm);
  }

  /**
   * Pages that consist of rows, with a stride of each side's own.
   *
   * <p>The pages of the target do not overlap. They lie one behind the other (the stride of the
   * pages is at least the {@link Rows#targetExtent()}), or each between the rows of the others (the
   * stride of the rows is at least that of the pages, as often as the largest index says, and a
   * row).
   *
   * <p>Where the NICs carry so many rows at once, a page costs no more operations than a whole one.
   * Where they do not, its rows are written one by one; a page with an immediate that is more than
   * 8 such writes is then told after another round trip, and is rejected where nobody can know that
   * a write has come ({@link CompletionLevel#SOURCE_FREE}).
   *
   * @param rows what each page consists of
   * @param source the source pages
   * @param target as many target pages, which do not overlap
   * @param imm what is counted, once for each page, or null
   */
  public static PagedWrite of(
      Rows rows, Side<MemorySlice> source, Side<RemoteSlice> target, @Nullable Imm imm) {
    Objects.requireNonNull(rows, "rows");
    long pageLength = rows.count() * rows.length();
    return new PagedWrite(pageLength, rows.areWhole() ? null : rows, source, target, imm);
  }

  /** Bytes of a page that are moved: those of all its rows. */
  public long pageLength() {
    return pageLength;
  }

  /**
   * What each page consists of; null if it is one range of bytes on both sides, also if it was
   * given as rows without gaps.
   */
  public @Nullable Rows rows() {
    return rows;
  }

  /** Number of pages. */
  public int pages() {
    return source.pages().size();
  }

  /** The source pages; the engine reads them until the transfer is done. */
  public Side<MemorySlice> source() {
    return source;
  }

  /** The target pages. */
  public Side<RemoteSlice> target() {
    return target;
  }

  @Override
  public long length() {
    return pageLength * pages();
  }

  @Override
  public @Nullable Imm imm() {
    return imm;
  }

  @Override
  public long arrivals() {
    return imm == null ? 0 : pages();
  }

  private static void requireSide(String what, Side<?> side) {
    Objects.requireNonNull(side.slice(), what);
    Objects.requireNonNull(side.pages(), what + " pages");
  }

  private static void requireFits(String what, long length, long extent, Side<?> side) {
    // largest * stride + extent <= length, without overflow
    long room = length - extent;
    if (room < 0 || side.pages().largest() > room / side.stride()) {
      throw new IndexOutOfBoundsException(
          "expected "
              + what
              + " pages within the slice of "
              + length
              + " bytes, got page "
              + side.pages().largest()
              + " of "
              + extent
              + " bytes at a stride of "
              + side.stride());
    }
  }

  /** Number and length of the pages, their rows if they have some, and the immediate. */
  @Override
  public String toString() {
    return "PagedWrite["
        + pages()
        + " pages of "
        + pageLength
        + " bytes"
        + (rows == null ? "" : " in " + rows.count() + " rows")
        + ", imm="
        + imm
        + "]";
  }
}
