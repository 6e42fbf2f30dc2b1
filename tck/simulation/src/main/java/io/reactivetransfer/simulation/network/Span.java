package io.reactivetransfer.simulation.network;

import java.util.SplittableRandom;

/**
 * How long something takes, in nanoseconds: anything between two bounds, drawn anew each time.
 *
 * @param minNanos at least 0
 * @param maxNanos at least {@code minNanos}
 */
public record Span(long minNanos, long maxNanos) {

  /** Checks the bounds. */
  public Span {
    if (minNanos < 0 || maxNanos < minNanos) {
      throw new IllegalArgumentException(
          "expected 0 <= minNanos <= maxNanos, got " + minNanos + " and " + maxNanos);
    }
  }

  /** One duration. */
  public long draw(SplittableRandom random) {
    return minNanos == maxNanos ? minNanos : random.nextLong(minNanos, maxNanos + 1);
  }
}
