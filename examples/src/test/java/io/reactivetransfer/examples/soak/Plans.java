package io.reactivetransfer.examples.soak;

import java.time.Duration;
import java.util.Set;

/** Plans of a second or two. */
final class Plans {

  private Plans() {}

  static Plan small(String backend, long seed, Duration limit) {
    return new Plan(
        backend,
        null,
        2,
        4,
        Duration.ofMillis(1_500),
        Duration.ofMillis(400),
        limit,
        seed,
        Set.of(),
        false);
  }
}
