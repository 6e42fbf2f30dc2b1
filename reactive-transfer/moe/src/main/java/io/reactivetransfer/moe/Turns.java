package io.reactivetransfer.moe;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Runs events one after the other, in the order in which they come, on the thread of whoever brings
 * one while none runs. What an event leaves for afterwards, such as signals to users, runs on that
 * thread when no event is left, so that nobody's code holds events up; or elsewhere, if that thread
 * must go on. Allocates nothing unless an event comes while another one runs.
 */
final class Turns {

  /** Events that came while one ran. */
  private final Queue<Runnable> events = new ConcurrentLinkedQueue<>();

  /** What must not be run in a turn, and waits for nobody; guarded by itself, as the next is. */
  private final ArrayDeque<Runnable> handOvers = new ArrayDeque<>();

  /** Signals to users, who may do anything; filled in turns, and emptied after them. */
  private final ArrayDeque<Runnable> signals = new ArrayDeque<>();

  private final AtomicInteger left = new AtomicInteger();
  private final Consumer<Throwable> thrown;

  /**
   * None yet.
   *
   * @param thrown what is done with what an event throws; in its turn
   */
  Turns(Consumer<Throwable> thrown) {
    this.thrown = thrown;
  }

  /** Runs it now, or has it run by whoever is at it. Then runs what is left for afterwards. */
  void run(Runnable event) {
    if (!runEvents(event)) {
      return;
    }
    Runnable signal;
    while ((signal = next(signals)) != null) {
      runGuarded(signal);
    }
  }

  /** The same, on a thread that others wait for: has signals given elsewhere. */
  void run(Runnable event, Consumer<Runnable> elsewhere) {
    if (!runEvents(event)) {
      return;
    }
    Runnable signal;
    while ((signal = next(signals)) != null) {
      HandedOver handedOver = new HandedOver(signal);
      try {
        elsewhere.accept(handedOver);
      } catch (Throwable e) {
        if (handedOver.hasBegun) { // elsewhere is here, and the signal has thrown it
          Thrown.log(e);
        } else {
          runGuarded(signal);
        }
      }
    }
  }

  /** A signal that somebody else is to give: whoever refuses, or what it throws, looks alike. */
  private static final class HandedOver implements Runnable {
    private final Runnable signal;
    private boolean hasBegun;

    HandedOver(Runnable signal) {
      this.signal = signal;
    }

    @Override
    public void run() {
      hasBegun = true;
      signal.run();
    }
  }

  /** Returns whether it was done here, with all that came meanwhile. */
  private boolean runEvents(Runnable event) {
    if (left.compareAndSet(0, 1)) {
      runNow(event);
    } else {
      events.add(event);
      if (left.getAndIncrement() != 0) {
        return false;
      }
      runNow(events.poll());
    }
    while (left.decrementAndGet() != 0) {
      runNow(events.poll());
    }
    Runnable next;
    while ((next = next(handOvers)) != null) {
      runGuarded(next);
    }
    return true;
  }

  private static void runGuarded(Runnable action) {
    try {
      action.run();
    } catch (Throwable e) {
      Thrown.log(e);
    }
  }

  private void runNow(@Nullable Runnable event) {
    if (event != null) {
      try {
        event.run();
      } catch (Throwable e) {
        runGuarded(() -> thrown.accept(e)); // turns go on, whatever becomes of that
      }
    }
  }

  private static @Nullable Runnable next(ArrayDeque<Runnable> actions) {
    synchronized (actions) {
      return actions.poll();
    }
  }

  /** Only within an event: signals when no event is left. What it throws ends nothing else. */
  void afterwards(Runnable signal) {
    synchronized (signals) {
      signals.add(signal);
    }
  }

  /** Only within an event: hands something over when no event is left, before signals. */
  void handOverAfterwards(Runnable action) {
    synchronized (handOvers) {
      handOvers.add(action);
    }
  }
}
