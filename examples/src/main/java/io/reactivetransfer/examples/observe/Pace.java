package io.reactivetransfer.examples.observe;

import java.time.Duration;
import java.util.List;

/** How long each act of a {@link Scenario} lasts. */
@FunctionalInterface
interface Pace {

  /** Whether the act is over, of which these samples were taken until now. */
  boolean isOver(Act act, List<Sample> samples);

  /** The same time for each. */
  static Pace of(Duration act, Duration interval) {
    long samples = Math.max(1, act.dividedBy(interval));
    return (_, taken) -> taken.size() >= samples;
  }
}
