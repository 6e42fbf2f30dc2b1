package io.reactivetransfer.examples.observe;

import java.time.Duration;
import java.util.Map;

/**
 * What all columns have shown at one moment.
 *
 * @param at since the scenario has begun
 * @param act the name of the act
 * @param figures by the title of the column
 */
record Sample(Duration at, String act, Map<String, Double> figures) {

  /** What the column of this title has shown. */
  double of(String title) {
    Double figure = figures.get(title);
    if (figure == null) {
      throw new IllegalArgumentException(
          "expected one of the columns " + figures.keySet() + ", got " + title);
    }
    return figure;
  }
}
