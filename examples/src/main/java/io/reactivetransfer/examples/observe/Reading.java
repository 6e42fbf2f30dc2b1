package io.reactivetransfer.examples.observe;

import io.micrometer.core.instrument.Measurement;
import io.micrometer.core.instrument.Meter;

/**
 * What a meter has said.
 *
 * @param kind how it is shown
 * @param count of a timer, how many it was about
 * @param total its value, of a timer all seconds
 */
record Reading(Kind kind, double count, double total) {

  /** How a meter is shown. */
  enum Kind {
    LEVEL,
    GROWTH,
    MEAN_MILLIS
  }

  /** Of no meter. */
  static final Reading NONE = new Reading(Kind.LEVEL, 0, 0);

  /** Both of several meters together. */
  Reading plus(Meter meter) {
    Kind as =
        switch (meter.getId().getType()) {
          case COUNTER -> Kind.GROWTH;
          case TIMER -> Kind.MEAN_MILLIS;
          default -> Kind.LEVEL;
        };
    double moreCount = 0;
    double moreTotal = 0;
    for (Measurement each : meter.measure()) {
      switch (each.getStatistic()) {
        case COUNT -> {
          if (as == Kind.MEAN_MILLIS) {
            moreCount = each.getValue();
          } else {
            moreTotal = each.getValue();
          }
        }
        case VALUE, TOTAL_TIME -> moreTotal = each.getValue();
        default -> {
          // such as the longest, which is not shown
        }
      }
    }
    return new Reading(as, count + moreCount, total + moreTotal);
  }
}
