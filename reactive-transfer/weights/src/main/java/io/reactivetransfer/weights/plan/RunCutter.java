package io.reactivetransfer.weights.plan;

import io.reactivetransfer.weights.Box;
import io.reactivetransfer.weights.Shape;

/**
 * Cuts the copy of a box from one place to another into as few runs as possible: what lies without
 * gaps on both sides is one row, rows at equal strides are one run, and the dimension that has the
 * most rows is the one that is not cut. Reused; allocates nothing.
 */
final class RunCutter {

  private final long[] counts = new long[Shape.MAX_DIMENSIONS];
  private final long[] sources = new long[Shape.MAX_DIMENSIONS];
  private final long[] targets = new long[Shape.MAX_DIMENSIONS];

  private int[] ranks = {};
  private int sourceRegion;
  private int targetRegion;

  /** The two sides of what is cut next. */
  RunCutter between(int sourceRegion, int[] ranks, int targetRegion) {
    this.ranks = ranks;
    this.sourceRegion = sourceRegion;
    this.targetRegion = targetRegion;
    return this;
  }

  /**
   * Cuts.
   *
   * @param box how many elements along each dimension
   * @param bits of an element
   * @param sourceAt bytes in front of the first element at the source
   * @param sourceStrides in elements
   * @param targetAt bytes in front of the first element at the target
   * @param targetStrides in elements
   * @return how many runs there were
   */
  int cut(
      Box box,
      int bits,
      long sourceAt,
      long[] sourceStrides,
      long targetAt,
      long[] targetStrides,
      Runs.Builder to) {
    int levels = sort(box, sourceStrides, targetStrides);
    long row = 1;
    int first = 0;
    while (first < levels && sources[first] == row && targets[first] == row) {
      row *= counts[first++];
    }
    levels = merge(first, levels);
    long bytes = row * bits / Byte.SIZE;
    if (levels == 0) {
      to.from(ranks, sourceRegion, sourceAt, targetRegion, targetAt);
      to.rows(bytes, 1, bytes, bytes);
      return 1;
    }
    for (int i = 0; i < levels; i++) {
      sources[i] = sources[i] * bits / Byte.SIZE;
      targets[i] = targets[i] * bits / Byte.SIZE;
    }
    takeMostRows(levels);
    return cutLevels(levels - 1, bytes, sourceAt, targetAt, to);
  }

  /** By the stride of the target, the smallest one first; without dimensions of size 1. */
  private int sort(Box box, long[] sourceStrides, long[] targetStrides) {
    int levels = 0;
    for (int i = box.dimensions() - 1; i >= 0; i--) {
      if (box.size(i) == 1) {
        continue;
      }
      int at = levels++;
      while (at > 0 && targets[at - 1] > targetStrides[i]) {
        move(at - 1, at);
        at--;
      }
      counts[at] = box.size(i);
      sources[at] = sourceStrides[i];
      targets[at] = targetStrides[i];
    }
    return levels;
  }

  /** Joins dimensions that follow each other at equal strides on both sides. */
  private int merge(int first, int levels) {
    int kept = 0;
    for (int i = first; i < levels; i++) {
      if (kept > 0
          && sources[i] == sources[kept - 1] * counts[kept - 1]
          && targets[i] == targets[kept - 1] * counts[kept - 1]) {
        counts[kept - 1] *= counts[i];
      } else {
        move(i, kept++);
      }
    }
    return kept;
  }

  private void takeMostRows(int levels) {
    int most = 0;
    for (int i = 1; i < levels; i++) {
      if (counts[i] > counts[most]) {
        most = i;
      }
    }
    long count = counts[most];
    long source = sources[most];
    long targetStride = targets[most];
    for (int i = most; i > 0; i--) {
      move(i - 1, i);
    }
    counts[0] = count;
    sources[0] = source;
    targets[0] = targetStride;
  }

  private int cutLevels(int level, long bytes, long sourceAt, long targetAt, Runs.Builder to) {
    int runs = 0;
    if (level == 0) {
      for (long row = 0; row < counts[0]; row += Integer.MAX_VALUE) {
        long rows = Math.min(Integer.MAX_VALUE, counts[0] - row);
        to.from(
            ranks,
            sourceRegion,
            sourceAt + row * sources[0],
            targetRegion,
            targetAt + row * targets[0]);
        to.rows(bytes, rows, sources[0], targets[0]);
        runs++;
      }
      return runs;
    }
    for (long i = 0; i < counts[level]; i++) {
      runs +=
          cutLevels(
              level - 1, bytes, sourceAt + i * sources[level], targetAt + i * targets[level], to);
    }
    return runs;
  }

  private void move(int from, int to) {
    counts[to] = counts[from];
    sources[to] = sources[from];
    targets[to] = targets[from];
  }
}
