package io.reactivetransfer.micrometer;

import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.reactivetransfer.EngineRecorder.StreamEnd;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Streams of transfers that have ended, of one engine. The NIC's thread counts and records; the
 * meters come by another thread.
 */
final class StreamMeters {

  private static final Duration SHORTEST = Duration.ofNanos(10_000);
  private static final Duration LONGEST = Duration.ofMinutes(1);

  private final Meters meters;
  private final Map<Outcome, LongAdder> transfers = new EnumMap<>(Outcome.class);
  private final LongAdder apart = new LongAdder();
  private final LongAdder bytes = new LongAdder();
  private final EarlyTimers<Outcome> timers;

  StreamMeters(Meters meters) {
    this.meters = meters;
    this.timers = new EarlyTimers<>(meters, Outcome.class);
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
    timers.record(outcome, end.duration());
  }

  /** Not on the NIC's thread: registries lock. */
  void register(boolean histogram) {
    for (Outcome outcome : Outcome.values()) {
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
    timers.register(List.of(Outcome.values()), outcome -> timer(outcome, histogram));
  }

  private @Nullable Timer timer(Outcome outcome, boolean histogram) {
    // With a histogram or without: a registry of Prometheus takes no mixture under one name.
    return meters.timer(
        Timer.builder(Meters.PREFIX + "streams")
            .description(
                "streams of transfers, and single ones, from when the engine took the first of it"
                    + " to when nothing of it was in flight")
            .minimumExpectedValue(SHORTEST)
            .maximumExpectedValue(LONGEST)
            .publishPercentileHistogram(histogram),
        Tags.of("outcome", outcome.tag));
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
}
