package io.reactivetransfer.weights.plan;

import java.util.Arrays;

/**
 * Ranges of bytes that go from one place to the same place of one or several ranks, each as rows of
 * one length at a stride of each side's own. To each of these ranks a run is one write of the
 * engine, and counts once where it arrives. Kept as numbers, so that going through them allocates
 * nothing. Immutable.
 */
public final class Runs {

  /** As a region of the source: what a {@link Step.Prepare} has made. */
  public static final int OUTPUT = -1;

  /** As a region of the source: the scales that a {@link Step.Prepare} has found. */
  public static final int SCALES = -2;

  /** The most ranks of a side. */
  public static final int MAX_RANKS = 1 << 20;

  /** Words of a run. */
  static final int WORDS = 7;

  private static final int REGION_BITS = 20;
  private static final long REGION_MASK = (1L << REGION_BITS) - 1;
  private static final int LOWEST_REGION = SCALES;

  /** Source region and target region; then each of the other numbers. */
  private final long[] words;

  /** The ranks that each run is written to. */
  private final int[][] targets;

  private Runs(long[] words, int[][] targets) {
    this.words = words;
    this.targets = targets;
  }

  /** Puts runs together. */
  public static Builder builder() {
    return new Builder();
  }

  /** How many. */
  public int size() {
    return words.length / WORDS;
  }

  /** How many ranks a run is written to, at least 1. */
  public int targets(int run) {
    return targets[run].length;
  }

  /**
   * A rank that a run is written to.
   *
   * @param run which run
   * @param index 0 to {@code targets(run) - 1}; the numbers of the ranks rise
   */
  public int target(int run, int index) {
    return targets[run][index];
  }

  /** All ranks that a run is written to. */
  public int[] targetRanks(int run) {
    return targets[run].clone();
  }

  /** A region of the source rank, {@link #OUTPUT} or {@link #SCALES}. */
  public int sourceRegion(int run) {
    return (int) (words[at(run)] >>> REGION_BITS) + LOWEST_REGION;
  }

  /** A region of each of the target ranks. */
  public int targetRegion(int run) {
    return (int) (words[at(run)] & REGION_MASK);
  }

  /** Bytes in front of the first row at the source. */
  public long sourceOffset(int run) {
    return words[at(run) + 1];
  }

  /** Bytes in front of the first row at the target. */
  public long targetOffset(int run) {
    return words[at(run) + 2];
  }

  /** Bytes of a row. */
  public long rowBytes(int run) {
    return words[at(run) + 3];
  }

  /** How many rows. */
  public int rows(int run) {
    return (int) words[at(run) + 4];
  }

  /** Bytes from one row to the next at the source; the length of a row, if there is only one. */
  public long sourceStride(int run) {
    return words[at(run) + 5];
  }

  /** Bytes from one row to the next at the target; the length of a row, if there is only one. */
  public long targetStride(int run) {
    return words[at(run) + 6];
  }

  /** Bytes of all rows: what each of its ranks gets. */
  public long bytes(int run) {
    return rowBytes(run) * rows(run);
  }

  /** Bytes of all runs to all their ranks. */
  public long bytes() {
    long bytes = 0;
    for (int run = 0; run < size(); run++) {
      bytes += bytes(run) * targets(run);
    }
    return bytes;
  }

  /** How many writes they are: each run to each of its ranks. */
  public long writes() {
    long writes = 0;
    for (int[] ranks : targets) {
      writes += ranks.length;
    }
    return writes;
  }

  private static int at(int run) {
    return run * WORDS;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Runs that
        && Arrays.equals(words, that.words)
        && Arrays.deepEquals(targets, that.targets);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(words) * 31 + Arrays.deepHashCode(targets);
  }

  /** How many, and how many bytes. */
  @Override
  public String toString() {
    return size() + " runs of " + bytes() + " bytes";
  }

  /** Puts runs together, one after the other. Can be used again. */
  public static final class Builder {

    private long[] words = new long[4 * WORDS];
    private int[][] targets = new int[4][];
    private int used;

    private Builder() {}

    /** Whether there is none yet. */
    public boolean isEmpty() {
      return used == 0;
    }

    /**
     * One more run.
     *
     * @param ranks those that it is written to, at least one, rising; not to be changed afterwards
     * @param sourceRegion a region of the source rank, {@link #OUTPUT} or {@link #SCALES}
     * @param sourceOffset bytes in front of the first row there
     * @param targetRegion a region of each of the target ranks
     * @param targetOffset bytes in front of the first row there
     * @throws IllegalArgumentException if there is no such rank, region or offset
     */
    public Builder from(
        int[] ranks, int sourceRegion, long sourceOffset, int targetRegion, long targetOffset) {
      requireRanks(ranks);
      if (sourceRegion < LOWEST_REGION
          || sourceRegion > REGION_MASK + LOWEST_REGION
          || targetRegion < 0
          || targetRegion > REGION_MASK
          || sourceOffset < 0
          || targetOffset < 0) {
        throw new IllegalArgumentException(
            "expected a run between regions that there are, got region "
                + sourceRegion
                + " at "
                + sourceOffset
                + " to region "
                + targetRegion
                + " at "
                + targetOffset);
      }
      int run = used / WORDS;
      if (run == targets.length) {
        targets = Arrays.copyOf(targets, run + run / 2);
        words = Arrays.copyOf(words, targets.length * WORDS);
      }
      targets[run] = ranks;
      words[used] = (long) (sourceRegion - LOWEST_REGION) << REGION_BITS | targetRegion;
      words[used + 1] = sourceOffset;
      words[used + 2] = targetOffset;
      return this;
    }

    private static void requireRanks(int[] ranks) {
      boolean rise = ranks.length > 0 && ranks[0] >= 0 && ranks[ranks.length - 1] < MAX_RANKS;
      for (int i = 1; rise && i < ranks.length; i++) {
        rise = ranks[i] > ranks[i - 1];
      }
      if (!rise) {
        throw new IllegalArgumentException(
            "expected 1 or more ranks of 0 to 2^20 that rise, got " + Arrays.toString(ranks));
      }
    }

    /**
     * The rows of the run that was begun.
     *
     * @param rowBytes bytes of a row, at least 1
     * @param rows how many, at least 1
     * @param sourceStride bytes from one to the next at the source, at least 1
     * @param targetStride the same at the target, at least the length of a row
     * @throws IllegalArgumentException if they would overlap at the target, or cannot be addressed
     */
    public Builder rows(long rowBytes, long rows, long sourceStride, long targetStride) {
      if (rowBytes < 1 || rows < 1 || rows > Integer.MAX_VALUE) {
        throw new IllegalArgumentException(
            "expected 1 or more rows of 1 or more bytes, got " + rows + " of " + rowBytes);
      }
      if (rows > 1
          && (sourceStride < 1
              || targetStride < rowBytes
              || Math.max(sourceStride, targetStride) > (Long.MAX_VALUE - rowBytes) / (rows - 1))) {
        throw new IllegalArgumentException(
            "expected rows of "
                + rowBytes
                + " bytes that lie apart at the target, got strides of "
                + sourceStride
                + " and "
                + targetStride);
      }
      words[used + 3] = rowBytes;
      words[used + 4] = rows;
      words[used + 5] = rows == 1 ? rowBytes : sourceStride;
      words[used + 6] = rows == 1 ? rowBytes : targetStride;
      used += WORDS;
      return this;
    }

    /** The runs so far; the builder is empty again. */
    public Runs build() {
      Runs runs = new Runs(Arrays.copyOf(words, used), Arrays.copyOf(targets, used / WORDS));
      used = 0;
      return runs;
    }
  }
}
