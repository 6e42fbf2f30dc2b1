package io.reactivetransfer;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Writes pages of local memory to pages of remote memory, the first of one list to the first of the
 * other and so on. With an immediate, the target's counter goes up by one for each page.
 *
 * <p>Page {@code p} of a side begins {@code p * stride} bytes into its slice.
 */
public final class PagedWrite implements Transfer {

  private final long pageLength;
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

  private PagedWrite(
      long pageLength, Side<MemorySlice> source, Side<RemoteSlice> target, @Nullable Imm imm) {
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
    requireFits("source", source.slice().length(), pageLength, source);
    requireFits("target", target.slice().length(), pageLength, target);
    if (target.stride() < pageLength && target.pages().size() > 1) {
      throw new IllegalArgumentException(
          "expected target pages that do not overlap (stride of at least the page length "
              + pageLength
              + "), got a stride of "
              + target.stride());
    }
    this.pageLength = pageLength;
    this.source = source;
    this.target = target;
    this.imm = imm;
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
    return new PagedWrite(pageLength, source, target, imm);
  }

  /** Bytes of a page. */
  public long pageLength() {
    return pageLength;
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

  private static void requireFits(String what, long length, long pageLength, Side<?> side) {
    // largest * stride + pageLength <= length, without overflow
    long room = length - pageLength;
    if (room < 0 || side.pages().largest() > room / side.stride()) {
      throw new IndexOutOfBoundsException(
          "expected "
              + what
              + " pages within the slice of "
              + length
              + " bytes, got page "
              + side.pages().largest()
              + " of "
              + pageLength
              + " bytes at a stride of "
              + side.stride());
    }
  }

  /** Number and length of the pages, and the immediate. */
  @Override
  public String toString() {
    return "PagedWrite[" + pages() + " pages of " + pageLength + " bytes, imm=" + imm + "]";
  }
}
