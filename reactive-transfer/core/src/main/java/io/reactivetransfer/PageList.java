package io.reactivetransfer;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Objects;

/**
 * Which pages of a slice, in which order: a list of different, non-negative page indices, kept as a
 * primitive array. Page {@code i} of a slice begins {@code i * stride} bytes into it.
 */
public final class PageList {

  /** Above this a bit set of all indices would be larger than sorting a copy is slow. */
  private static final int MAX_BITS = 1 << 24;

  private final int[] indices;
  private final int largest;

  private PageList(int[] indices) {
    if (indices.length == 0) {
      throw new IllegalArgumentException("expected at least one page, got none");
    }
    int max = 0;
    for (int index : indices) {
      if (index < 0) {
        throw new IllegalArgumentException("expected page indices of 0 or more, got " + index);
      }
      max = Math.max(max, index);
    }
    this.indices = indices;
    this.largest = max;
    requireDistinct();
  }

  /** These pages; the array is copied. */
  public static PageList of(int... indices) {
    return new PageList(Objects.requireNonNull(indices, "indices").clone());
  }

  /**
   * These pages, read once from memory.
   *
   * @param indices 32-bit integers in native byte order; its size is a multiple of four
   */
  public static PageList of(MemorySegment indices) {
    Objects.requireNonNull(indices, "indices");
    if (indices.byteSize() % Integer.BYTES != 0) {
      throw new IllegalArgumentException(
          "expected a segment of 32-bit page indices, a multiple of 4 bytes, got "
              + indices.byteSize()
              + " bytes");
    }
    return new PageList(indices.toArray(ValueLayout.JAVA_INT_UNALIGNED));
  }

  /** The pages {@code first} to {@code first + count - 1}. */
  public static PageList range(int first, int count) {
    if (count < 1 || first < 0 || first > Integer.MAX_VALUE - count) {
      throw new IllegalArgumentException(
          "expected first >= 0 and count >= 1, got first " + first + " and count " + count);
    }
    int[] indices = new int[count];
    Arrays.setAll(indices, i -> first + i);
    return new PageList(indices);
  }

  /** How many pages. */
  public int size() {
    return indices.length;
  }

  /** The index of the page at this position. */
  public int get(int position) {
    return indices[position];
  }

  /** The largest index. */
  public int largest() {
    return largest;
  }

  /** A copy of the indices. */
  public int[] toArray() {
    return indices.clone();
  }

  private void requireDistinct() {
    if (largest < MAX_BITS) {
      BitSet seen = new BitSet(largest + 1);
      for (int index : indices) {
        if (seen.get(index)) {
          throw duplicate(index);
        }
        seen.set(index);
      }
    } else {
      int[] sorted = indices.clone();
      Arrays.sort(sorted);
      for (int i = 1; i < sorted.length; i++) {
        if (sorted[i] == sorted[i - 1]) {
          throw duplicate(sorted[i]);
        }
      }
    }
  }

  private static IllegalArgumentException duplicate(int index) {
    return new IllegalArgumentException(
        "expected each page once, got page " + index + " more than once");
  }

  /** Number of pages and the largest index. */
  @Override
  public String toString() {
    return size() + " pages, largest index " + largest;
  }
}
