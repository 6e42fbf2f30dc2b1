package io.reactivetransfer.spring;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import reactor.core.publisher.Mono;

/** Waits where an interrupt must not end it: memory is freed behind it. */
final class Uninterrupted {

  private Uninterrupted() {}

  /**
   * Waits until it has ended, and leaves the thread interrupted if somebody has meant it to be.
   *
   * @return whether it has, within that time
   */
  static boolean await(Mono<?> end, Duration longest) {
    CountDownLatch ended = new CountDownLatch(1);
    var _ = end.doFinally(_ -> ended.countDown()).onErrorComplete().subscribe();
    long deadline = System.nanoTime() + longest.toNanos();
    boolean interrupted = Thread.interrupted();
    try {
      while (true) {
        try {
          return ended.await(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
