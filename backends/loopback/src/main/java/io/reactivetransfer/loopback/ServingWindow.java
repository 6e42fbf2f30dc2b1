package io.reactivetransfer.loopback;

import java.util.OptionalLong;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The writes that a target has taken from its inbox and not ended yet: one if they are served in
 * order, several among which a seed picks if not.
 */
final class ServingWindow {

  private static final int REORDER_DEPTH = 16;

  private final Port port;
  private final @Nullable InFlightWrite[] writes;
  private final @Nullable RandomGenerator random;
  private int count;
  private int picked;

  ServingWindow(Port port, OptionalLong reorderSeed) {
    this.port = port;
    boolean reorders = reorderSeed.isPresent();
    this.writes = new InFlightWrite[reorders ? REORDER_DEPTH : 1];
    this.random = reorders ? new SplittableRandom(reorderSeed.getAsLong()) : null;
  }

  /**
   * Takes what there is room for.
   *
   * @return how many came from the inbox
   */
  int refill() {
    int taken = 0;
    while (count < writes.length) {
      InFlightWrite write = port.takeWrite();
      if (write == null) {
        break;
      }
      writes[count++] = write;
      taken++;
    }
    return taken;
  }

  boolean isEmpty() {
    return count == 0;
  }

  /** The write to serve next, or null. */
  @Nullable InFlightWrite pick() {
    if (count == 0) {
      return null;
    }
    picked = random == null ? 0 : random.nextInt(count);
    return writes[picked];
  }

  /** Takes out what was picked. */
  void removePicked() {
    writes[picked] = writes[--count];
    writes[count] = null;
  }
}
