package io.reactivetransfer.weights.kernel;

import io.reactivetransfer.weights.Shape;

/**
 * Goes through the elements of a box, tile by tile: rows and columns of its two innermost
 * dimensions. A dimension that lies without gaps on both sides is one with the next inner one, so
 * what is dense is one long row. Used again and again, and allocates nothing.
 */
final class Walk {

  private final long[] size = new long[Shape.MAX_DIMENSIONS];
  private final long[] source = new long[Shape.MAX_DIMENSIONS];
  private final long[] target = new long[Shape.MAX_DIMENSIONS];
  private final long[] index = new long[Shape.MAX_DIMENSIONS];
  private int dimensions;

  /** Elements in front of the two innermost dimensions. */
  private long sourceBase;

  private long targetBase;
  private long allRows;
  private long allColumns;
  private long row;
  private long column;
  private int rowsOfTile;
  private int columnsOfTile;
  private boolean isDone;

  // The first element of all.
  long sourceFirst;
  long targetFirst;

  // The present tile: elements in front of it, its size, and its strides in elements.
  long sourceElement;
  long targetElement;
  int rows;
  int columns;
  long sourceRowStride;
  long sourceColumnStride;
  long targetRowStride;
  long targetColumnStride;

  /** Begins a box whose first element has so many others in front of it; then its dimensions. */
  void begin(long source, long target) {
    dimensions = 0;
    sourceFirst = source;
    targetFirst = target;
    sourceBase = source;
    targetBase = target;
  }

  /** The next inner dimension. */
  void dimension(long count, long sourceStride, long targetStride) {
    if (count == 1) {
      return;
    }
    int last = dimensions - 1;
    if (last >= 0 && source[last] == sourceStride * count && target[last] == targetStride * count) {
      size[last] *= count;
      source[last] = sourceStride;
      target[last] = targetStride;
      return;
    }
    size[dimensions] = count;
    source[dimensions] = sourceStride;
    target[dimensions] = targetStride;
    index[dimensions] = 0;
    dimensions++;
  }

  /** Whether all of it is one row without gaps on both sides. */
  boolean isOneRow() {
    return dimensions == 0 || (dimensions == 1 && source[0] == 1 && target[0] == 1);
  }

  /**
   * After the last dimension: tiles of at most so many elements, or so many if it is transposed.
   */
  void start(int capacity, int transposed) {
    int last = dimensions - 1;
    allColumns = last >= 0 ? size[last] : 1;
    sourceColumnStride = last >= 0 ? source[last] : 1;
    targetColumnStride = last >= 0 ? target[last] : 1;
    allRows = last >= 1 ? size[last - 1] : 1;
    sourceRowStride = last >= 1 ? source[last - 1] : 0;
    targetRowStride = last >= 1 ? target[last - 1] : 0;
    int most = isTransposed() ? transposed : capacity;
    // Where the source is not contiguous along columns, it may be along rows: both are long then.
    int width = sourceColumnStride == 1 ? most : Integer.highestOneBit((int) Math.sqrt(2 * most));
    columnsOfTile = (int) Math.min(allColumns, width);
    rowsOfTile = (int) Math.min(allRows, most / columnsOfTile);
    row = 0;
    column = 0;
    isDone = false;
  }

  /** After the last dimension: tiles of at most so many elements. */
  void start(int capacity) {
    start(capacity, capacity);
  }

  /** Whether its source is contiguous along columns, and its target along rows. */
  boolean isTransposed() {
    return sourceColumnStride != 1 && sourceRowStride == 1 && targetColumnStride == 1;
  }

  /** Goes to the next tile; false if there is none. */
  boolean next() {
    if (isDone) {
      return false;
    }
    columns = (int) Math.min(columnsOfTile, allColumns - column);
    rows = (int) Math.min(rowsOfTile, allRows - row);
    sourceElement = sourceBase + row * sourceRowStride + column * sourceColumnStride;
    targetElement = targetBase + row * targetRowStride + column * targetColumnStride;
    column += columns;
    if (column == allColumns) {
      column = 0;
      row += rows;
      if (row == allRows) {
        row = 0;
        isDone = !nextOuter();
      }
    }
    return true;
  }

  private boolean nextOuter() {
    for (int i = dimensions - 3; i >= 0; i--) {
      sourceBase += source[i];
      targetBase += target[i];
      if (++index[i] < size[i]) {
        return true;
      }
      sourceBase -= size[i] * source[i];
      targetBase -= size[i] * target[i];
      index[i] = 0;
    }
    return false;
  }
}
