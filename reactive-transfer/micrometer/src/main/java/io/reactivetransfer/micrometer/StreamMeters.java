package io.reactivetransfer.micrometer;

import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.reactivetransfer.EngineRecorder.StreamEnd;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Streams of transfers that have ended, of one engine. The NIC's thread counts and records; the
 * meters come by another thread, and what ends before they are there waits for them.
 */
final class StreamMeters {

  /** Ends that wait for their timers; of one more than that only the duration is lost. */
  private static final int MAX_EARLY = 1_024;

  private static final Duration SHORTEST = Duration.ofNanos(10_000);
  private static final Duration LONGEST = Duration.ofMinutes(1);

  private record Timed(Outcome outcome, Duration duration) {}

  private final Meters meters;
  private final Map<Outcome, LongAdder> transfers = new EnumMap<>(Outcome.class);
  private final LongAdder apart = new LongAdder();
  private final LongAdder bytes = new LongAdder();
  private final Queue<Timed> early = new ConcurrentLinkedQueue<>();
  private int earlyCount; // the NIC thread's own
  private volatile @Nullable Map<Outcome, Timer> timers;

  StreamMeters(Meters meters) {
    this.meters = meters;
    for (Outcome outcome : Outcome.values()) {
      transfers.put(outcome, new LongAdder());
    }
  }

  /** On the NIC's thread. */
  void ended(StreamEnd end) {
    Outcome outcome = Outcome.of(end);
    of(Outcome.DONE).add(end.transfers());
    (outcome == Outcome.DONE ? apart : of(outcome)).add(end.transfersNotDone());
    bytes.add(end.bytes());
    Timed timed = new Timed(outcome, end.duration());
    Map<Outcome, Timer> known = timers;
    if (known != null) {
      record(timed, known);
    } else if (earlyCount < MAX_EARLY) {
      earlyCount++;
      early.add(timed);
      recordEarly(); // they may have come meanwhile
    }
  }

  /** Not on the NIC's thread: registries lock. */
  void register(boolean histogram) {
    Map<Outcome, Timer> each = new EnumMap<>(Outcome.class);
    for (Outcome outcome : Outcome.values()) {
      Tags tags = Tags.of("outcome", outcome.tag);
      // With a histogram or without: a registry of Prometheus takes no mixture under one name.
      Timer timer =
          meters.timer(
              Timer.builder(Meters.PREFIX + "streams")
                  .description(
                      "streams of transfers, and single ones, from when the engine took the first"
                          + " of it to when nothing of it was in flight")
                  .minimumExpectedValue(SHORTEST)
                  .maximumExpectedValue(LONGEST)
                  .publishPercentileHistogram(histogram),
              tags);
      if (timer != null) {
        each.put(outcome, timer);
      }
      count(outcome.tag, of(outcome));
    }
    count(Outcome.APART, apart);
    meters.counter(
        "transferred",
        Tags.empty(),
        Meters.BYTES,
        "bytes of the transfers that were done, once their stream has ended",
        bytes,
        LongAdder::sum);
    timers = each;
    recordEarly();
  }

  private LongAdder of(Outcome outcome) {
    return Objects.requireNonNull(transfers.get(outcome));
  }

  private void count(String outcome, LongAdder count) {
    meters.counter(
        "transfers",
        Tags.of("outcome", outcome),
        null,
        "transfers that were taken over, by what became of them, once their stream has ended",
        count,
        LongAdder::sum);
  }

  private void recordEarly() {
    Map<Outcome, Timer> known = timers;
    if (known != null) {
      Timed next;
      while ((next = early.poll()) != null) {
        record(next, known);
      }
    }
  }

  private void record(Timed timed, Map<Outcome, Timer> known) {
    Timer timer = known.get(timed.outcome);
    if (timer != null) {
      try {
        timer.record(timed.duration);
      } catch (Throwable failure) {
        meters.failed(failure);
      }
    }
  }
}
