package io.reactivetransfer.engine.origin;

import io.reactivetransfer.AimedWrite;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The elements of one stream, from when upstream gives them until downstream gets them. Each stays
 * in one place all that time, so that it is written as a reference once: a write barrier each time
 * would cost more than all that is done here. What goes from thread to thread are numbers of
 * places: from upstream to the NIC thread in order, and from there to the signal scheduler as they
 * end.
 *
 * <p>Upstream is asked for no more than fits until some have come out at the other end. So each of
 * the cursors is less than one round before the one behind it, one ring of places serves all of
 * them: the entry of the one that ended comes where the entry of one that was taken stood, and is
 * where upstream finds a place again. It also makes a place that was emptied seen as empty before
 * it is filled again, so whoever takes something publishes nothing.
 */
final class Window {

  /** No place. */
  static final int NONE = -1;

  private static final VarHandle GIVEN;
  private static final VarHandle ENDED;
  private static final VarHandle IS_GIVING;

  static {
    try {
      GIVEN = MethodHandles.lookup().findVarHandle(Window.class, "given", int.class);
      ENDED = MethodHandles.lookup().findVarHandle(Window.class, "ended", int.class);
      IS_GIVING = MethodHandles.lookup().findVarHandle(Window.class, "isGiving", boolean.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final @Nullable Object[] elements;
  private final int[] places;

  // upstream's cursor
  private int given;

  /** One that can be changed is being given. */
  private volatile boolean isGiving;

  // the NIC thread's
  private int seenGiven;
  private int taken;
  private int ended;

  /** The stream ends. */
  private volatile boolean isClosed;

  // the signal scheduler's
  private int seenEnded;
  private int emitted;

  Window(int capacity) {
    int size = Integer.highestOneBit(2 * capacity - 1);
    this.elements = new Object[size];
    this.places = new int[size];
    for (int place = 0; place < size; place++) {
      places[place] = place;
    }
  }

  /**
   * Upstream gives one; false if that is in a stream already. If the stream ends, one that can be
   * changed is its owner's again at once, and a copy of it stands here for what is left to do.
   */
  boolean give(Object element) {
    if (element instanceof AimedWrite write) {
      return give(write);
    }
    put(element);
    return true;
  }

  private boolean give(AimedWrite write) {
    IS_GIVING.setOpaque(this, true); // seen before what UnderWay begins with, which is a fence
    try {
      if (!UnderWay.begin(write)) {
        return false;
      }
      if (!isClosed) {
        put(write);
        return true;
      }
      try {
        put(UnderWay.copy(write));
      } catch (IndexOutOfBoundsException aimedMeanwhile) {
        // A mixture of what it was aimed at before and after: nothing is left to do for it.
      } finally {
        UnderWay.end(write);
      }
      return true;
    } finally {
      IS_GIVING.setRelease(this, false);
    }
  }

  private void put(Object element) {
    int at = given;
    elements[places[at & places.length - 1]] = element;
    GIVEN.setRelease(this, at + 1);
  }

  // ---- the NIC thread ----

  /** The place of the next one that was given, or {@link #NONE}. */
  int next() {
    int at = taken;
    if (at == seenGiven) {
      seenGiven = (int) GIVEN.getAcquire(this);
      if (at == seenGiven) {
        return NONE;
      }
    }
    return places[at & places.length - 1];
  }

  /**
   * The stream ends: of what is given from now on, no write that can be changed is in it.
   *
   * @return whether upstream gives none of those just now; if it does, it is asked again behind it
   */
  boolean close() {
    isClosed = true;
    return !isGiving;
  }

  /** Whether the stream ends, or has ended. */
  boolean isClosed() {
    return isClosed;
  }

  /** Nothing that stands here is looked at any more, wherever it has come to. */
  void breakOff() {
    isClosed = true;
    for (Object each : elements) {
      UnderWay.end(each);
    }
  }

  /** How many were given that are to be taken. */
  int given() {
    seenGiven = (int) GIVEN.getAcquire(this);
    return seenGiven - taken;
  }

  /** Takes the next one. */
  void take() {
    taken++;
  }

  /** What stands at a place. */
  Object at(int place) {
    return Objects.requireNonNull(elements[place], "nothing stands there");
  }

  /** What is to be emitted for the one at this place is another one. */
  void replace(int place, Object result) {
    UnderWay.end(elements[place]);
    elements[place] = result;
  }

  /** Nothing is emitted for the one at this place. */
  void forget(int place) {
    UnderWay.end(elements[place]);
    elements[place] = null;
  }

  /** The one at this place is to be emitted. */
  void end(int place) {
    int at = ended;
    places[at & places.length - 1] = place;
    ENDED.setRelease(this, at + 1);
  }

  // ---- the signal scheduler ----

  /** Takes the next one that is to be emitted; null if there is none. */
  @Nullable Object emit() {
    int at = emitted;
    if (at == seenEnded) {
      seenEnded = (int) ENDED.getAcquire(this);
      if (at == seenEnded) {
        return null;
      }
    }
    emitted = at + 1;
    int place = places[at & places.length - 1];
    Object element = elements[place];
    elements[place] = null;
    UnderWay.end(element);
    return element;
  }
}
