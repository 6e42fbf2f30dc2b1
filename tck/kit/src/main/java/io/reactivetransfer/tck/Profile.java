package io.reactivetransfer.tck;

import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * How the kit runs against one backend. Immutable; begin with {@link #defaults()}.
 *
 * @param signalTimeout how long a signal that must come is waited for. Only a failing rule takes
 *     that long
 * @param silence how long to watch that a signal does not come. Every rule that says "not before"
 *     takes that long, so it is short; a longer one finds more
 * @param nicCounts for how many NICs the rules about striping run
 * @param missing what the backend cannot do, and why
 * @param skipsIfUnavailable whether a backend that is not available on this machine makes its tests
 *     skipped, and not failed
 */
public record Profile(
    Duration signalTimeout,
    Duration silence,
    List<Integer> nicCounts,
    Map<Capability, String> missing,
    boolean skipsIfUnavailable) {

  /** System property that sets {@link #signalTimeout()}, in milliseconds. */
  public static final String SIGNAL_TIMEOUT = "reactivetransfer.tck.signalTimeoutMillis";

  /** System property that sets {@link #silence()}, in milliseconds. */
  public static final String SILENCE = "reactivetransfer.tck.silenceMillis";

  /**
   * System property that sets the seed of all random data; a failing rule prints the one it had.
   */
  public static final String SEED = "reactivetransfer.tck.seed";

  /**
   * System property that, if {@code true}, makes what would be skipped because it is not on this
   * machine fail instead.
   */
  public static final String REQUIRE_ALL = "reactivetransfer.requireAll";

  /** Copies the collections. */
  public Profile {
    nicCounts = List.copyOf(nicCounts);
    missing = Map.copyOf(missing);
  }

  /**
   * 30 s for a signal, for which only a failure waits, 100 ms of silence, 1, 2, 3 and 8 NICs,
   * nothing missing, and the backend has to be available.
   */
  public static Profile defaults() {
    return new Profile(
        Duration.ofMillis(Long.getLong(SIGNAL_TIMEOUT, 30_000)),
        Duration.ofMillis(Long.getLong(SILENCE, 100)),
        List.of(1, 2, 3, 8),
        Map.of(),
        false);
  }

  /** With another time to wait for a signal. */
  public Profile withSignalTimeout(Duration timeout) {
    return new Profile(timeout, silence, nicCounts, missing, skipsIfUnavailable);
  }

  /** With another time to watch for silence. */
  public Profile withSilence(Duration duration) {
    return new Profile(signalTimeout, duration, nicCounts, missing, skipsIfUnavailable);
  }

  /** With other numbers of NICs. */
  public Profile withNicCounts(int... counts) {
    return new Profile(
        signalTimeout, silence, IntStream.of(counts).boxed().toList(), missing, skipsIfUnavailable);
  }

  /**
   * Without something that the backend cannot do.
   *
   * @param capability what it cannot do
   * @param reason why, in words that the report of a skipped rule shows
   */
  public Profile without(Capability capability, String reason) {
    Map<Capability, String> more = new EnumMap<>(Capability.class);
    more.putAll(missing);
    more.put(capability, reason);
    return new Profile(signalTimeout, silence, nicCounts, more, skipsIfUnavailable);
  }

  /**
   * Where the backend is not available its tests are skipped, as one, with the reason and the
   * remedy; unless the system property {@link #REQUIRE_ALL} forbids it. Without this they fail, so
   * that nobody takes a run for green that has tested nothing.
   */
  public Profile skipIfUnavailable() {
    return new Profile(signalTimeout, silence, nicCounts, missing, true);
  }
}
