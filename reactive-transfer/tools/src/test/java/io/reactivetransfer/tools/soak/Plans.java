package io.reactivetransfer.tools.soak;

import java.time.Duration;
import java.util.Set;

/** Plans for a test. */
final class Plans {

  private Plans() {}

  static Plan of(String backend, long seed, Duration time, Duration limit) {
    return new Plan(
        backend, null, 2, 4, time, Duration.ofMillis(400), limit, seed, Set.of(), false);
  }
}
