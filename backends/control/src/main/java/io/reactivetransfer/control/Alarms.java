package io.reactivetransfer.control;

import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

/**
 * What a loop is to do later, kept outside of it: while a loop has a task of its own scheduled,
 * each of its waits for sockets arms a timer in the kernel and disarms it, which takes as long as
 * the rest of the wait. The JDK's timer thread wakes the loop instead, once for each alarm.
 */
final class Alarms {

  private final Executor loop;
  private final Set<Alarm> pending = new HashSet<>();

  Alarms(Executor loop) {
    this.loop = loop;
  }

  /** Has the JDK start its timer thread: now, and not on a loop. */
  static void warmUp() {
    new CompletableFuture<Void>().completeOnTimeout(null, 1, TimeUnit.NANOSECONDS).join();
  }

  /** Runs the task on the loop after that time. On the loop. */
  void set(Runnable task, long nanos) {
    Alarm alarm = new Alarm(task);
    pending.add(alarm);
    var _ =
        alarm.timer.completeOnTimeout(null, nanos, TimeUnit.NANOSECONDS).thenRunAsync(alarm, loop);
  }

  /** Forgets what is due later. When the loop has ended. */
  void clear() {
    pending.forEach(alarm -> alarm.timer.cancel(false));
    pending.clear();
  }

  private final class Alarm implements Runnable {
    private final CompletableFuture<Void> timer = new CompletableFuture<>();
    private final Runnable task;

    Alarm(Runnable task) {
      this.task = task;
    }

    @Override
    public void run() {
      // One that was due when all were forgotten may be on its way to the loop already.
      if (pending.remove(this)) {
        task.run();
      }
    }
  }
}
