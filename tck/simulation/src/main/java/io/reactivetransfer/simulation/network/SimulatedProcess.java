package io.reactivetransfer.simulation.network;

import io.reactivetransfer.spi.WorkerLoop;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * A process whose threads are turned by {@link VirtualTime}: it can be stopped, resumed and killed.
 * What is due while it is stopped happens when it goes on; what is due after it was killed never
 * does. Its NICs are another matter: those of a stopped process go on.
 */
public final class SimulatedProcess {

  private final int place;
  private final VirtualTime time;
  private final Weather weather;
  private final SplittableRandom random;
  private final List<Runnable> held = new ArrayList<>();
  private boolean stopped;
  private boolean killed;

  /**
   * A running one.
   *
   * @param place where its NICs are found; after it was killed, another process may take its place
   */
  public SimulatedProcess(int place, VirtualTime time, Weather weather, long seed) {
    this.place = place;
    this.time = time;
    this.weather = weather;
    this.random = new SplittableRandom(seed);
  }

  /** Where its NICs are found. */
  public int place() {
    return place;
  }

  /** The present, by its clock. */
  public long nanos() {
    return time.nanos();
  }

  /** Whether it was killed. */
  public boolean isKilled() {
    return killed;
  }

  /** Whether it is stopped. */
  public boolean isStopped() {
    return stopped;
  }

  /** Holds everything up. */
  public void stop() {
    stopped = true;
  }

  /** Goes on after a stop. */
  public void resume() {
    stopped = false;
    List<Runnable> due = List.copyOf(held);
    held.clear();
    due.forEach(task -> time.after(nextTurn(), task));
  }

  /** Does nothing any more, for ever. */
  public void kill() {
    killed = true;
    held.clear();
  }

  /** Runs a task after a while, in no order with others. */
  public void execute(Runnable task, long delayNanos) {
    after(Math.max(delayNanos, 1) + nextTurn(), task);
  }

  private void after(long nanos, Runnable task) {
    if (!killed) {
      time.after(nanos, () -> run(task));
    }
  }

  private void run(Runnable task) {
    if (stopped && !killed) {
      held.add(() -> run(task));
    } else if (!killed) {
      task.run();
    }
  }

  private long nextTurn() {
    return weather.draw(weather.turn(), random);
  }

  /** A new thread of this process, which runs its tasks one after the other, in order. */
  public Lane newLane() {
    return new Lane();
  }

  /** A thread of the process. */
  public final class Lane implements WorkerLoop {

    private final ArrayDeque<Runnable> tasks = new ArrayDeque<>();
    private boolean running;
    private boolean closed;

    private Lane() {}

    @Override
    public boolean inLoop() {
      return running;
    }

    @Override
    public void execute(Runnable task) {
      tasks.add(task);
      // one event for each task, and each event takes the first one: so they keep their order
      after(nextTurn(), this::runNext);
    }

    @Override
    public void schedule(Runnable task, long delayNanos) {
      after(delayNanos, () -> execute(task));
    }

    private void runNext() {
      Runnable task = tasks.poll();
      if (task != null && !closed) {
        running = true;
        try {
          task.run();
        } finally {
          running = false;
        }
      }
    }

    @Override
    public CompletionStage<Void> close() {
      closed = true;
      tasks.clear();
      CompletableFuture<Void> ended = new CompletableFuture<>();
      after(nextTurn(), () -> ended.complete(null));
      return ended;
    }
  }
}
