package io.reactivetransfer.weights.internal;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import reactor.util.Logger;
import reactor.util.Loggers;

/**
 * Runs events one after the other, in the order in which they come, on the thread of whoever brings
 * one while none runs. Holds no lock meanwhile: an event may bring others, which run after it.
 */
public final class Turns {

  private static final Logger LOG = Loggers.getLogger(Turns.class);

  private final Queue<Runnable> waiting = new ConcurrentLinkedQueue<>();
  private final AtomicInteger left = new AtomicInteger();

  /** Runs it now, or has it run by whoever is at it. What it throws ends this event only. */
  public void run(Runnable event) {
    waiting.add(event);
    if (left.getAndIncrement() != 0) {
      return;
    }
    do {
      Runnable next = waiting.poll();
      if (next != null) {
        try {
          next.run();
        } catch (Throwable thrown) {
          LOG.error("an event of a protocol of weights has failed", thrown);
        }
      }
    } while (left.decrementAndGet() != 0);
  }
}
