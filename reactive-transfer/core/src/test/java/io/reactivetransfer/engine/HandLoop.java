package io.reactivetransfer.engine;

import io.reactivetransfer.spi.WorkerLoop;
import java.time.Duration;
import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;

/** A loop that a test turns, with a clock of its own that begins shortly before it wraps around. */
public final class HandLoop implements WorkerLoop {

  private static final int NEVER_IDLE = 10_000;

  private record Alarm(long at, Runnable task) {}

  private final long start = Long.MAX_VALUE - Duration.ofSeconds(1).toNanos();
  private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
  private final PriorityQueue<Alarm> alarms =
      new PriorityQueue<>(Comparator.comparingLong(alarm -> alarm.at() - start));
  private final CompletableFuture<Void> ended = new CompletableFuture<>();
  private long now = start;
  private Thread runner;
  private boolean closed;

  /** Whether the thread ends by itself when it is asked to; else by {@link #end()}. */
  boolean endsAtOnce = true;

  long now() {
    return now;
  }

  /** What it throws at who has a task for it; null as long as it takes them. */
  Error refusal;

  /** Runs the first task; false if there is none. */
  public boolean step() {
    Runnable task = tasks.poll();
    if (task == null) {
      return false;
    }
    runner = Thread.currentThread();
    try {
      task.run();
    } finally {
      runner = null;
    }
    return true;
  }

  /** Runs tasks until there are none. */
  public void runUntilIdle() {
    int steps = 0;
    while (step()) {
      if (++steps == NEVER_IDLE) {
        throw new AssertionError("the loop is never idle");
      }
    }
  }

  /** Lets time pass; what is scheduled runs at its time. */
  public void advance(Duration time) {
    runUntilIdle();
    long target = now + time.toNanos();
    Alarm first;
    while ((first = alarms.peek()) != null && first.at() - target <= 0) {
      alarms.remove();
      now = first.at() - now > 0 ? first.at() : now;
      tasks.add(first.task());
      runUntilIdle();
    }
    now = target;
  }

  /** Time passes, and nothing runs meanwhile: the process was stopped. */
  public void standStill(Duration time) {
    now += time.toNanos();
  }

  int alarms() {
    return alarms.size();
  }

  boolean isClosed() {
    return closed;
  }

  /** The thread ends. */
  void end() {
    ended.complete(null);
  }

  @Override
  public boolean inLoop() {
    return Thread.currentThread() == runner;
  }

  @Override
  public void execute(Runnable task) {
    Error reason = refusal;
    if (reason != null) {
      throw reason;
    }
    tasks.add(task);
  }

  @Override
  public void schedule(Runnable task, long delayNanos) {
    alarms.add(new Alarm(now + delayNanos, task));
  }

  @Override
  public CompletionStage<Void> close() {
    closed = true;
    if (endsAtOnce) {
      end();
    }
    return ended;
  }
}
