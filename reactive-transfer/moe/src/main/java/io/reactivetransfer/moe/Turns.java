package io.reactivetransfer.moe;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import reactor.util.Logger;
import reactor.util.Loggers;

/**
 * Runs events one after the other, in the order in which they come, on the thread of whoever brings
 * one while none runs. What an event leaves for afterwards, such as signals to users, runs on that
 * thread when no event is left, so that nobody's code holds events up.
 */
final class Turns {

  private static final Logger LOG = Loggers.getLogger(Turns.class);

  private final Queue<Runnable> events = new ConcurrentLinkedQueue<>();
  private final Queue<Runnable> afterwards = new ConcurrentLinkedQueue<>();
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

  /** Runs it now, or has it run by whoever is at it. */
  void run(Runnable event) {
    events.add(event);
    if (left.getAndIncrement() != 0) {
      return;
    }
    do {
      Runnable next = events.poll();
      if (next != null) {
        try {
          next.run();
        } catch (Throwable e) {
          thrown.accept(e);
        }
      }
    } while (left.decrementAndGet() != 0);
    Runnable next = afterwards.poll();
    while (next != null) {
      try {
        next.run();
      } catch (Throwable e) {
        LOG.error("a subscriber has thrown what it must not", e);
      }
      next = afterwards.poll();
    }
  }

  /** Only within an event: runs it when no event is left. What it throws ends nothing else. */
  void afterwards(Runnable action) {
    afterwards.add(action);
  }
}
