package io.reactivetransfer.weights.plan;

import java.util.Arrays;

/**
 * Where a tensor may be cut along one dimension, and which unit an index belongs to. Units begin
 * anew where a segment begins.
 */
final class Axis {

  /** The first index of each segment, and the end of the last one. */
  private final long[] bounds;

  private final long unit;

  /** Distance of neighbouring cuts: a multiple of the unit. */
  private final long step;

  /**
   * Cuts at these distances.
   *
   * @param bounds the first index of each segment, and the end of the last one; rising
   * @param unit the length of a unit
   * @param packed how many neighbours cannot be parted, whatever the unit is
   */
  Axis(long[] bounds, long unit, int packed) {
    this.bounds = needed(bounds, unit);
    this.unit = unit;
    this.step = unit % packed == 0 ? unit : unit * packed;
  }

  /** Without those at which a unit would begin anyway: there is nothing to be kept apart. */
  private static long[] needed(long[] bounds, long unit) {
    long[] kept = new long[bounds.length];
    int count = 1;
    for (int i = 1; i < bounds.length; i++) {
      boolean isLast = i == bounds.length - 1;
      if (isLast || (bounds[i] - kept[count - 1]) % unit != 0) {
        kept[count++] = bounds[i];
      }
    }
    return Arrays.copyOf(kept, count);
  }

  /** The first bound behind an index, where a segment ends. */
  long end(long index) {
    return bounds[segment(index) + 1];
  }

  /** The last cut at or before an index. */
  long floor(long index) {
    int segment = segment(index);
    if (index == bounds[segment]) {
      return index;
    }
    return bounds[segment] + (index - bounds[segment]) / step * step;
  }

  /** The first cut at or behind an index. */
  long ceil(long index) {
    long floor = floor(index);
    return floor == index ? index : next(floor);
  }

  /** The first cut behind a cut. */
  long next(long cut) {
    return Math.min(bounds[segment(cut) + 1], cut + step);
  }

  /** The number of the unit that begins there. */
  long unitAt(long cut) {
    long units = 0;
    for (int i = 0; i + 1 < bounds.length && bounds[i] < cut; i++) {
      units += Math.ceilDiv(Math.min(bounds[i + 1], cut) - bounds[i], unit);
    }
    return units;
  }

  /** How many units there are. */
  long units() {
    return unitAt(bounds[bounds.length - 1]);
  }

  /** Steps between two cuts, about: segments may begin in between. */
  long steps(long from, long to) {
    return Math.ceilDiv(to - from, step);
  }

  /** Whether a segment begins within an element that cannot be parted. */
  boolean splits(int packed) {
    return Arrays.stream(bounds).anyMatch(bound -> bound % packed != 0);
  }

  /** The segment that an index is in; the last one for the end. */
  private int segment(long index) {
    int found = Arrays.binarySearch(bounds, index);
    int segment = found >= 0 ? found : -found - 2;
    return Math.min(segment, bounds.length - 2);
  }
}
