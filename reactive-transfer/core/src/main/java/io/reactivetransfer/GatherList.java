package io.reactivetransfer;

import java.util.Arrays;
import java.util.Objects;

/**
 * Rows of a source, in any order, that an {@link AimedWrite} brings together in one write: row
 * {@code r} begins {@code r * sourceStride} bytes behind where that is aimed at in the source, and
 * the rows of the list come to the target one behind the other, {@code targetStride} bytes apart. A
 * row may be listed more than once.
 *
 * <p>For whoever would copy them together before, such as tokens that go to one rank. Where the
 * NICs gather so many rows at once ({@link TransferEngine#maxGather()}) it is one operation; where
 * they do not, it is several, and mostly better to copy.
 *
 * <p>It is used again and again: cleared, filled, and given to {@link AimedWrite#aim(GatherList,
 * long, long)}, each time. Change it when that write may be aimed; the engine takes what it says
 * when it takes the write over, and looks at the bounds of what it has taken. Filling allocates
 * nothing but when it has never been as long. For one thread at a time.
 */
public final class GatherList {

  private static final int FIRST_CAPACITY = 16;

  private final long rowLength;
  private final long sourceStride;
  private final long targetStride;
  private int[] rows = new int[FIRST_CAPACITY];
  private int size;

  private GatherList(long rowLength, long sourceStride, long targetStride) {
    if (rowLength < 1 || sourceStride < 1) {
      throw new IllegalArgumentException(
          "expected rows of 1 or more bytes and a source stride of 1 or more, got "
              + rowLength
              + " and "
              + sourceStride);
    }
    if (targetStride < rowLength) {
      throw new IllegalArgumentException(
          "expected target rows that do not overlap (stride of at least the row length "
              + rowLength
              + "), got a stride of "
              + targetStride);
    }
    this.rowLength = rowLength;
    this.sourceStride = sourceStride;
    this.targetStride = targetStride;
  }

  /**
   * An empty one.
   *
   * @param rowLength bytes of each row, at least 1
   * @param sourceStride bytes from row 0 of the source to row 1, at least 1
   * @param targetStride bytes from the beginning of one row to that of the next at the target, at
   *     least the row length
   */
  public static GatherList of(long rowLength, long sourceStride, long targetStride) {
    return new GatherList(rowLength, sourceStride, targetStride);
  }

  /** Lists nothing any more; this. */
  public GatherList clear() {
    size = 0;
    return this;
  }

  /**
   * Lists this row behind the others.
   *
   * @param row its number in the source, 0 or more
   * @return this
   */
  public GatherList add(int row) {
    return addRange(row, 1);
  }

  /**
   * Lists rows that follow each other in the source behind the others.
   *
   * @param first the number of the first one in the source, 0 or more
   * @param count how many, 0 or more
   * @return this
   */
  public GatherList addRange(int first, int count) {
    if (first < 0 || count < 0 || first > Integer.MAX_VALUE - Math.max(0, count - 1)) {
      throw new IllegalArgumentException(
          "expected rows of 0 or more, and 0 or more of them, got " + count + " from " + first);
    }
    if (count > Integer.MAX_VALUE - size) {
      throw new IllegalArgumentException(
          "expected a list of fewer than 2^31 rows, got " + count + " behind " + size);
    }
    if (size + count > rows.length) {
      int most = Integer.MAX_VALUE - Byte.SIZE; // what an array can have
      rows = Arrays.copyOf(rows, (int) Math.max(size + count, Math.min(most, 2L * rows.length)));
    }
    for (int i = 0; i < count; i++) {
      rows[size + i] = first + i;
    }
    size += count;
    return this;
  }

  /** How many rows it lists. */
  public int size() {
    return size;
  }

  /** The number in the source of the row at this position. */
  public int get(int position) {
    return rows[Objects.checkIndex(position, size)];
  }

  /**
   * Copies the numbers of its first rows. From any thread: of a list that is changed meanwhile,
   * what it says before or after, or a mixture of both, or numbers that it said once.
   *
   * @param numbers is given them, from index 0 on
   * @param count how many; no more than it has
   */
  public void copyTo(int[] numbers, int count) {
    int[] from = rows;
    System.arraycopy(from, 0, numbers, 0, Math.min(count, from.length));
  }

  /** Bytes of each row. */
  public long rowLength() {
    return rowLength;
  }

  /** Bytes from row 0 of the source to row 1. */
  public long sourceStride() {
    return sourceStride;
  }

  /** Bytes from the beginning of one row to that of the next at the target. */
  public long targetStride() {
    return targetStride;
  }

  /** Bytes of all its rows together; {@link Long#MAX_VALUE} if they are more. */
  public long length() {
    return size > 0 && rowLength > Long.MAX_VALUE / size ? Long.MAX_VALUE : size * rowLength;
  }

  /**
   * From the beginning of row 0 to the last byte of the row that lies last in the source; {@link
   * Long#MAX_VALUE} if it is more.
   */
  public long sourceExtent() {
    int last = -1;
    for (int i = 0; i < size; i++) {
      last = Math.max(last, rows[i]);
    }
    return extent(last, sourceStride);
  }

  /**
   * From the first byte of the first row to the last byte of the last one at the target; {@link
   * Long#MAX_VALUE} if it is more.
   */
  public long targetExtent() {
    return extent(size - 1, targetStride);
  }

  private long extent(int strides, long stride) {
    if (strides <= 0) {
      return strides < 0 ? 0 : rowLength;
    }
    return stride > (Long.MAX_VALUE - rowLength) / strides
        ? Long.MAX_VALUE
        : strides * stride + rowLength;
  }

  /** A list of its own that says the same now. */
  public GatherList copy() {
    GatherList copy = new GatherList(rowLength, sourceStride, targetStride);
    copy.rows = rows.clone();
    copy.size = size;
    return copy;
  }

  @Override
  public String toString() {
    return size
        + " rows of "
        + rowLength
        + " bytes, gathered at a stride of "
        + sourceStride
        + " and put at one of "
        + targetStride;
  }
}
