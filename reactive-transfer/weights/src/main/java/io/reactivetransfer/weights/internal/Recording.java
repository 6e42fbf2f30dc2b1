package io.reactivetransfer.weights.internal;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import reactor.util.Logger;
import reactor.util.Loggers;

/**
 * Tells a recorder, if there is one, and survives what that throws. From any thread.
 *
 * @param <R> its kind
 */
public final class Recording<R> {

  private static final Logger LOG = Loggers.getLogger(Recording.class);

  private final R recorder;
  private final boolean isOn;
  private final AtomicBoolean hasThrown = new AtomicBoolean();

  /**
   * Of one object that is told of.
   *
   * @param none who stands for nobody
   */
  @SuppressWarnings("ReferenceEquality") // the very object
  public Recording(R recorder, R none) {
    this.recorder = recorder;
    this.isOn = recorder != none;
  }

  /** Whether there is one: if not, nobody needs to find out what to tell it. */
  public boolean isOn() {
    return isOn;
  }

  /** With no lock held: it is somebody else's code. */
  public void tell(Consumer<R> event) {
    if (!isOn) {
      return;
    }
    try {
      event.accept(recorder);
    } catch (Throwable thrown) {
      if (hasThrown.compareAndSet(false, true)) {
        say(thrown);
      }
    }
  }

  /** If that is possible, which it is not if an exception cannot say what it is. */
  private static void say(Throwable thrown) {
    try {
      LOG.warn("a recorder of weights has thrown, which it must not", thrown);
    } catch (Throwable unsaid) {
      // What is to be done behind what was told is more important.
    }
  }
}
