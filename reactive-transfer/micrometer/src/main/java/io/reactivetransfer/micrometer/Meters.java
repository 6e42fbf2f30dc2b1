package io.reactivetransfer.micrometer;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.FunctionTimer;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.reactivetransfer.TransferEngine;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;
import reactor.util.Logger;
import reactor.util.Loggers;

/**
 * Meters that come and go together. Whoever registers them holds what they read: registries hold it
 * weakly. What the registry throws is logged, the first time, and costs the meter that it was about
 * and no other. For one thread at a time, but for {@link #failed}.
 */
final class Meters {

  /** Begins the name of each. */
  static final String PREFIX = "reactive.transfer.";

  /** Base unit of what is counted in bytes. */
  static final String BYTES = "bytes";

  private static final Logger LOG = Loggers.getLogger(Meters.class);

  private final MeterRegistry registry;
  private final Tags tags;
  private final List<Meter> registered = new ArrayList<>();
  private final AtomicBoolean said;

  Meters(MeterRegistry registry, Tags tags) {
    this(registry, tags, new AtomicBoolean());
  }

  /** None yet, of an engine, that have these tags and its own. */
  static Meters of(MeterRegistry registry, Tags tags, TransferEngine engine) {
    return new Meters(
        registry, tags.and("engine", engine.id().toShortString(), "backend", engine.backend()));
  }

  private Meters(MeterRegistry registry, Tags tags, AtomicBoolean said) {
    this.registry = registry;
    this.tags = tags;
    this.said = said;
  }

  /** What all of them have. */
  Tags tags() {
    return tags;
  }

  /** None yet, that have these tags, and this one. */
  Meters and(String key, String value) {
    return new Meters(registry, tags.and(key, value), said);
  }

  /**
   * How many have come and not gone. 0 where one is counted as gone first, which happens when
   * several threads count.
   */
  static long between(LongAdder gone, LongAdder come) {
    long before = gone.sum();
    return Math.max(0, come.sum() - before);
  }

  /** What is now so many, and may be fewer soon. */
  <T> void gauge(String name, Tags more, String description, T holder, ToDoubleFunction<T> figure) {
    gauge(name, more, null, description, holder, figure);
  }

  /** The same, in a unit. */
  <T> void gauge(
      String name,
      Tags more,
      @Nullable String unit,
      String description,
      T holder,
      ToDoubleFunction<T> figure) {
    register(() ->
        Gauge.builder(PREFIX + name, holder, figure)
            .tags(tags.and(more))
            .baseUnit(unit)
            .description(description)
            .register(registry));
  }

  /** What only grows. */
  <T> void counter(
      String name,
      Tags more,
      @Nullable String unit,
      String description,
      T holder,
      ToDoubleFunction<T> figure) {
    register(() ->
        FunctionCounter.builder(PREFIX + name, holder, figure)
            .tags(tags.and(more))
            .baseUnit(unit)
            .description(description)
            .register(registry));
  }

  /** How often, and for how many nanoseconds in all. */
  <T> void timer(
      String name,
      String description,
      T holder,
      ToLongFunction<T> count,
      ToDoubleFunction<T> nanos) {
    register(() ->
        FunctionTimer.builder(PREFIX + name, holder, count, nanos, TimeUnit.NANOSECONDS)
            .tags(tags)
            .description(description)
            .register(registry));
  }

  /** One that is recorded into; null if the registry has thrown. */
  @Nullable Timer timer(Timer.Builder builder, Tags more) {
    return register(() -> builder.tags(tags.and(more)).register(registry));
  }

  private <M extends Meter> @Nullable M register(Supplier<M> registration) {
    try {
      M meter = registration.get();
      registered.add(meter);
      return meter;
    } catch (Throwable failure) {
      failed(failure);
      return null;
    }
  }

  /** Takes all of them out of the registry. */
  void remove() {
    for (Meter meter : registered) {
      try {
        registry.remove(meter);
      } catch (Throwable failure) {
        failed(failure);
      }
    }
    registered.clear();
  }

  /** A registry has thrown, or whatever else is not of ours. From any thread. */
  void failed(Throwable failure) {
    if (said.compareAndSet(false, true)) {
      LOG.warn("meters of {} are missing, or not what they should be", tags, failure);
    }
  }
}
