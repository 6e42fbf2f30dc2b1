package io.reactivetransfer.kvcache;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Runs tasks one after the other, in the order in which they were given, on the thread of whoever
 * gives one while none runs. Holds no lock meanwhile: a task may give others, which run after it.
 */
final class Turns {

  private final Queue<Runnable> waiting = new ConcurrentLinkedQueue<>();
  private final AtomicInteger left = new AtomicInteger();

  /** Runs it now, or has it run by whoever is at it. What it throws is logged. */
  void run(Runnable task) {
    waiting.add(task);
    if (left.getAndIncrement() != 0) {
      return;
    }
    do {
      Runnable next = waiting.poll();
      if (next != null) {
        try {
          next.run();
        } catch (Throwable thrown) {
          Bulkhead.unheard(thrown);
        }
      }
    } while (left.decrementAndGet() != 0);
  }
}
