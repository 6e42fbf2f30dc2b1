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

  /**
   * What the time of a stream divides into. Without histograms a count and a sum are enough, and
   * cost less than a timer: where each stream has one write, each write would pay for three of
   * those.
   */
  private enum Part {
    QUEUE(
        "streams.queue",
        "how long streams have waited until the first piece of them was posted, or, if nothing was,"
            + " to their end"),
    POSTED(
        "streams.posted",
        "streams of which something was posted, from then to when nothing of it was in flight");

    private final String meter;
    private final String description;

    Part(String meter, String description) {
      this.meter = meter;
      this.description = description;
    }
  }

  private final Meters meters;
  private final Map<Outcome, LongAdder> transfers = new EnumMap<>(Outcome.class);
  private final LongAdder apart = new LongAdder();
  private final LongAdder bytes = new LongAdder();
  private final boolean histogram;
  private final EarlyTimers<Outcome> timers;
  private final EarlyTimers<Part> parts;
  private final TimeSum queued = new TimeSum();
  private final TimeSum posted = new TimeSum();

  /**
   * For one engine.
   *
   * @param histogram whether timers have one
   */
  StreamMeters(Meters meters, boolean histogram) {
    this.meters = meters;
    this.histogram = histogram;
    this.timers = new EarlyTimers<>(meters, Outcome.class);
    this.parts = new EarlyTimers<>(meters, Part.class);
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
    Duration duration = end.duration();
    Duration waited = end.queued();
    record(Part.QUEUE, queued, waited);
    if (end.isPosted()) {
      record(Part.POSTED, posted, duration.minus(waited));
    }
    timers.record(outcome, duration);
  }

  private void record(Part part, TimeSum sum, Duration duration) {
    if (histogram) {
      parts.record(part, duration);
    } else {
      sum.add(duration);
    }
  }

  /** Not on the NIC's thread: registries lock. */
  void register() {
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
    if (histogram) {
      parts.register(
          List.of(Part.values()), part -> timer(part.meter, part.description, Tags.empty()));
    } else {
      sum(Part.QUEUE, queued);
      sum(Part.POSTED, posted);
    }
    timers.register(
        List.of(Outcome.values()),
        outcome ->
            timer(
                "streams",
                "streams of transfers, and single ones, from when the engine took the first of it"
                    + " to when nothing of it was in flight",
                Tags.of("outcome", outcome.tag)));
  }

  private void sum(Part part, TimeSum sum) {
    meters.timer(part.meter, part.description, sum, TimeSum::count, TimeSum::nanos);
  }

  private @Nullable Timer timer(String name, String description, Tags more) {
    // With a histogram or without: a registry of Prometheus takes no mixture under one name.
    return meters.timer(
        Timer.builder(Meters.PREFIX + name)
            .description(description)
            .minimumExpectedValue(SHORTEST)
            .maximumExpectedValue(LONGEST)
            .publishPercentileHistogram(histogram),
        more);
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
