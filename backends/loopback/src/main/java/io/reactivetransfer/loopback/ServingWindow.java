package io.reactivetransfer.loopback;

import java.util.ArrayDeque;
import java.util.List;
import java.util.OptionalLong;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import java.util.function.Predicate;
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
  private final ArrayDeque<InFlightWrite> early = new ArrayDeque<>();
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
      InFlightWrite write = early.isEmpty() ? port.takeWrite() : early.remove();
      if (write == null) {
        break;
      }
      writes[count++] = write;
      taken++;
    }
    return taken;
  }

  boolean isEmpty() {
    return count == 0 && early.isEmpty();
  }

  /**
   * Takes out all that meet this condition, and gives them to someone; the others keep their turn.
   */
  void takeOut(Predicate<InFlightWrite> which, Consumer<InFlightWrite> taker) {
    for (InFlightWrite write = port.takeWrite(); write != null; write = port.takeWrite()) {
      early.add(write);
    }
    for (int i = count - 1; i >= 0; i--) {
      picked = i;
      InFlightWrite write = writes[i];
      if (write != null && which.test(write)) {
        removePicked();
        taker.accept(write);
      }
    }
    List<InFlightWrite> out = early.stream().filter(which).toList();
    early.removeAll(out);
    out.forEach(taker);
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
