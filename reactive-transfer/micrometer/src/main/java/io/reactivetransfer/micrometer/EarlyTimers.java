package io.reactivetransfer.micrometer;

import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Timers, one for each outcome, that may be recorded into before they are registered, which is done
 * by another thread: what ends before they are there waits for them. Recorded into from any thread.
 */
final class EarlyTimers<K extends Enum<K>> {

  /** Ends that wait for their timers; one more than that is in no timer. */
  private static final int MAX_EARLY = 1_024;

  private record Timed<K>(K outcome, Duration duration) {}

  private final Meters meters;
  private final Class<K> outcomes;
  private final Queue<Timed<K>> early = new ConcurrentLinkedQueue<>();
  private final AtomicInteger earlyCount = new AtomicInteger();
  private volatile @Nullable Map<K, Timer> timers;

  EarlyTimers(Meters meters, Class<K> outcomes) {
    this.meters = meters;
    this.outcomes = outcomes;
  }

  void record(K outcome, Duration duration) {
    Map<K, Timer> known = timers;
    if (known != null) {
      record(outcome, duration, known);
    } else if (earlyCount.getAndIncrement() < MAX_EARLY) {
      early.add(new Timed<>(outcome, duration));
      recordEarly(); // they may have come meanwhile
    }
  }

  /**
   * Not on a thread that must not wait: registries lock.
   *
   * @param of registers the timer of an outcome; null if the registry refuses it
   */
  void register(Iterable<K> all, Function<K, @Nullable Timer> of) {
    Map<K, Timer> each = new EnumMap<>(outcomes);
    for (K outcome : all) {
      Timer timer = of.apply(outcome);
      if (timer != null) {
        each.put(outcome, timer);
      }
    }
    timers = each;
    recordEarly();
  }

  private void recordEarly() {
    Map<K, Timer> known = timers;
    if (known != null) {
      Timed<K> next;
      while ((next = early.poll()) != null) {
        record(next.outcome, next.duration, known);
      }
    }
  }

  private void record(K outcome, Duration duration, Map<K, Timer> known) {
    Timer timer = known.get(outcome);
    if (timer != null) {
      try {
        timer.record(duration);
      } catch (Throwable failure) {
        meters.failed(failure);
      }
    }
  }
}
