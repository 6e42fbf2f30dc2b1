package io.reactivetransfer.micrometer;

import io.micrometer.core.instrument.Tags;
import java.util.concurrent.atomic.LongAdder;

/**
 * What is counted of all groups of experts of one engine: a group that has failed is closed or
 * regrouped soon, and its own meters may go before anybody has read them.
 */
final class ShownMoeEngine extends Shown {

  private final LongAdder groupsFailed = new LongAdder();
  private boolean registered;

  ShownMoeEngine(Meters meters) {
    super(meters);
  }

  void groupFailed() {
    groupsFailed.increment();
  }

  @Override
  void register() {
    if (!registered) {
      registered = true;
      meters.counter(
          "moe.groups.failed",
          Tags.empty(),
          null,
          "groups that have failed on this engine, those that are closed included",
          groupsFailed,
          LongAdder::sum);
    }
  }
}
