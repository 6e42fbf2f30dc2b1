package io.reactivetransfer.micrometer;

import java.time.Duration;
import java.util.concurrent.atomic.LongAdder;

/** How often something was timed, and how long it has taken in all. Added to from any thread. */
final class TimeSum {

  private final LongAdder count = new LongAdder();
  private final LongAdder nanos = new LongAdder();

  void add(Duration duration) {
    count.increment();
    nanos.add(duration.toNanos());
  }

  long count() {
    return count.sum();
  }

  double nanos() {
    return nanos.sum();
  }
}
