package io.reactivetransfer.weights.version;

import java.time.Duration;
import java.util.Map;
import java.util.Objects;

/**
 * An update of the weights.
 *
 * @param version the application's name for what is written, 0 or more; it may be any, also one
 *     that was there before
 * @param mode where it is written
 * @param arrivals how many counted writes each rank gets over all trainers, by its name, 1 to 2^40;
 *     as {@code RoutingTable.arrivals} says
 * @param deadline until the decision, above 0; what is decided then may take as long once more to
 *     be confirmed
 */
public record WeightsUpdate(
    long version, UpdateMode mode, Map<String, Long> arrivals, Duration deadline) {

  /** As many as a claim of the engine can wait for. */
  static final long MAX_ARRIVALS = 1L << 40;

  /** Checks the values. */
  public WeightsUpdate {
    Objects.requireNonNull(mode, "mode");
    arrivals = Map.copyOf(Objects.requireNonNull(arrivals, "arrivals"));
    Objects.requireNonNull(deadline, "deadline");
    if (version < 0) {
      throw new IllegalArgumentException("expected a version of 0 or more, got " + version);
    }
    arrivals.forEach((rank, count) -> {
      if (count < 1 || count > MAX_ARRIVALS) {
        throw new IllegalArgumentException(
            "expected 1 to " + MAX_ARRIVALS + " arrivals at rank " + rank + ", got " + count);
      }
    });
    if (!deadline.isPositive()) {
      throw new IllegalArgumentException("expected a deadline above 0, got " + deadline);
    }
  }
}
