package io.reactivetransfer.micrometer;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import reactor.core.scheduler.Schedulers;

/**
 * Has meters follow what there is, elsewhere: registering and removing takes a registry's lock. By
 * one task at a time, of which never more than one waits.
 */
final class Upkeep {

  private final Runnable once;
  private final Consumer<Throwable> failed;
  private final AtomicInteger due = new AtomicInteger();

  /**
   * Nothing is due yet.
   *
   * @param once has them follow; never called by two threads at once
   * @param failed is told of what that throws, and of what keeps it from being called
   */
  Upkeep(Runnable once, Consumer<Throwable> failed) {
    this.once = once;
    this.failed = failed;
  }

  /**
   * Has them follow, soon. From any thread; does not wait.
   *
   * @param isLast whether nobody may ask again
   */
  void due(BooleanSupplier isLast) {
    if (due.getAndIncrement() == 0) {
      try {
        Schedulers.boundedElastic().schedule(this::follow);
      } catch (Throwable failure) { // a hook of the application, too, or no thread is to be had
        due.set(0); // whoever asks next tries again
        failed.accept(failure);
        if (isLast.getAsBoolean()) {
          Thread.ofVirtual().start(this::followAtLast);
        }
      }
    }
  }

  private void followAtLast() {
    due.incrementAndGet();
    follow();
  }

  private void follow() {
    int seen = due.get();
    do {
      try {
        once.run();
      } catch (Throwable failure) {
        failed.accept(failure);
      }
      seen = due.addAndGet(-seen);
    } while (seen != 0);
  }
}
