package io.reactivetransfer.engine.origin;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * Hands elements from one thread to another, of which there is one at a time on either side. There
 * is always room: whoever hands over is asked for no more than the capacity until some have come
 * out at the other end of the stream. That order of things also makes a place that was emptied seen
 * as empty before it is filled again, so the taker publishes nothing.
 */
public final class HandOver<T> {

  private static final VarHandle GIVEN;

  static {
    try {
      GIVEN = MethodHandles.lookup().findVarHandle(HandOver.class, "given", int.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final @Nullable Object[] ring;

  // the giver's
  private int given;

  // the taker's
  private int taken;
  private int seen;

  public HandOver(int capacity) {
    this.ring = new Object[Math.max(4, Integer.highestOneBit(2 * capacity - 1))];
  }

  /** Hands one over. */
  public void give(T element) {
    int place = given;
    ring[place & ring.length - 1] = element;
    GIVEN.setRelease(this, place + 1);
  }

  /** Takes one; null if none is there. */
  public @Nullable T take() {
    if (isEmpty()) {
      return null;
    }
    int place = taken++ & ring.length - 1;
    @SuppressWarnings("unchecked") // nothing else is given
    T element = (T) ring[place];
    ring[place] = null;
    return element;
  }

  /** Whether there is none to take. By the taker. */
  public boolean isEmpty() {
    if (taken == seen) {
      seen = (int) GIVEN.getAcquire(this);
    }
    return taken == seen;
  }
}
