package io.reactivetransfer.micrometer;

import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/** A rank or a controller of updates of weights, and its meters. */
abstract class ShownWeights extends Shown {

  private static final Duration SHORTEST = Duration.ofMillis(1);
  private static final Duration LONGEST = Duration.ofMinutes(10);

  private final boolean histogram;
  private boolean registered;

  ShownWeights(Meters meters, boolean histogram) {
    super(meters);
    this.histogram = histogram;
  }

  /** Once. */
  abstract void registerAll();

  @Override
  final void register() {
    if (!registered) {
      registered = true;
      registerAll();
    }
  }

  final void active(String name, String description, LongAdder begun, LongAdder ended) {
    meters.gauge(name, Tags.empty(), description, this, _ -> Meters.between(ended, begun));
  }

  final void count(String name, @Nullable String unit, String description, LongAdder count) {
    meters.counter(name, Tags.empty(), unit, description, count, LongAdder::sum);
  }

  final @Nullable Timer timer(String name, String description, Tags more) {
    return meters.timer(
        Timer.builder(Meters.PREFIX + name)
            .description(description)
            .minimumExpectedValue(SHORTEST)
            .maximumExpectedValue(LONGEST)
            .publishPercentileHistogram(histogram),
        more);
  }
}
