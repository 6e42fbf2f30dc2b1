package io.reactivetransfer.examples.worker;

import java.time.Instant;
import java.time.temporal.ChronoUnit;

/** The clock that all processes of a machine have. */
public final class SharedClock {

  private SharedClock() {}

  /** Nanoseconds since 1970, as exact as the system says. */
  public static long nanosNow() {
    return ChronoUnit.NANOS.between(Instant.EPOCH, Instant.now());
  }
}
