package io.reactivetransfer.engine.origin;

import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.RemoteRegion;
import io.reactivetransfer.engine.memory.RegisteredRegion;
import io.reactivetransfer.engine.memory.ResolvedRegion;
import org.jspecify.annotations.Nullable;

/**
 * Flights of one lane, one after another, from one region to one other; reused. Most streams write
 * between the same two for long. So what is to be found out about them is found out once for many
 * flights, and neither to begin one nor to end it writes a reference: each is a write barrier.
 */
final class Run {

  private @Nullable Lane lane;
  private @Nullable RegisteredRegion source;
  private @Nullable ResolvedRegion target;
  private long checkedIn;

  /** How many of its flights have not ended. */
  int flights;

  /** The next one that nobody uses, see {@link FlightTable}. */
  @Nullable Run unused;

  @SuppressWarnings("ReferenceEquality") // the very same lane
  void begin(Lane lane, RegisteredRegion source, ResolvedRegion target) {
    if (this.lane != lane) {
      this.lane = lane;
    }
    this.source = source;
    this.target = target;
    this.checkedIn = 0;
  }

  /** Its last flight has ended; returns where it came from. */
  RegisteredRegion end() {
    RegisteredRegion from = source();
    source = null;
    target = null;
    return from;
  }

  @SuppressWarnings("ReferenceEquality") // the very same regions
  boolean isBetween(MemoryRegion source, RemoteRegion target) {
    return this.source == source && this.target == target;
  }

  /** Nothing stood in the way of its flights in this round of taking over transfers. */
  void checked(long round) {
    checkedIn = round;
  }

  /** Whether that is known of this round, and still true. */
  boolean isClear(long round) {
    return checkedIn == round && !source().isClosed() && lane().to().givenUp.isEmpty();
  }

  Lane lane() {
    return Flight.known(lane);
  }

  RegisteredRegion source() {
    return Flight.known(source);
  }

  ResolvedRegion target() {
    return Flight.known(target);
  }
}
