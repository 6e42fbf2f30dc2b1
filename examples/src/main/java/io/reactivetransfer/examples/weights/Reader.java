package io.reactivetransfer.examples.weights;

import io.reactivetransfer.weights.version.VersionLease;
import io.reactivetransfer.weights.version.WeightsRank;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Reads batch after batch what a rank serves, and looks at every byte of it. */
final class Reader implements AutoCloseable {

  /** The machine has other things to do. */
  private static final long PAUSE_MICROS = 500;

  /**
   * When leases of a version were given.
   *
   * @param firstNanos when the first one was there
   * @param lastNanos when the last one was asked for
   */
  record Given(long firstNanos, long lastNanos) {}

  private final WeightsRank rank;
  private final Function<VersionLease, @Nullable String> look;
  private final Map<Long, Given> given = new LinkedHashMap<>();
  private final Thread thread = Thread.ofPlatform().name("reader").daemon().unstarted(this::run);
  private volatile boolean isClosed;
  private long batches;
  private @Nullable String fault;

  /**
   * Reads nothing yet.
   *
   * @param look what is not as it should be, or null
   */
  Reader(WeightsRank rank, Function<VersionLease, @Nullable String> look) {
    this.rank = rank;
    this.look = look;
  }

  void start() {
    thread.start();
  }

  private void run() {
    try {
      while (!isClosed) {
        batch();
        TimeUnit.MICROSECONDS.sleep(PAUSE_MICROS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (RuntimeException | Error e) {
      wrong(e.toString());
    }
  }

  private void batch() {
    long asked = Moment.nanosNow();
    try (VersionLease lease = rank.tryLease()) {
      if (lease != null) {
        long got = Moment.nanosNow();
        String wrong = look.apply(lease);
        took(lease.version(), asked, got);
        if (wrong != null) {
          wrong(wrong);
        }
      }
    }
  }

  private synchronized void took(long version, long asked, long got) {
    batches++;
    given.merge(
        version,
        new Given(got, asked),
        (before, now) -> new Given(before.firstNanos(), now.lastNanos()));
  }

  private synchronized void wrong(String what) {
    if (fault == null) {
      fault = what;
    }
  }

  /**
   * How many batches, when leases of which version were given since it was asked last, and what was
   * wrong first.
   */
  synchronized String report() {
    String versions =
        given.entrySet().stream()
            .map(one ->
                one.getKey() + ":" + one.getValue().firstNanos() + ":" + one.getValue().lastNanos())
            .collect(Collectors.joining(","));
    given.clear();
    return batches
        + " "
        + (versions.isEmpty() ? "-" : versions)
        + " "
        + (fault == null ? "" : fault);
  }

  @Override
  public void close() {
    isClosed = true;
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
