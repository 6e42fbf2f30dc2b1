package io.reactivetransfer.simulation;

import io.reactivetransfer.simulation.Simulation.Result;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Many seeds on several threads; each seed on one. */
public final class Campaign {

  private final long firstSeed;
  private final long seeds;
  private final Supplier<? extends SeededRun> simulations;
  private final int maxFailures;
  private final AtomicLong next = new AtomicLong();
  private final AtomicLong done = new AtomicLong();
  private final AtomicLong events = new AtomicLong();
  private final List<Result> failures = new ArrayList<>();
  private @Nullable IllegalStateException breakdown;

  /**
   * Ready to run.
   *
   * @param firstSeed the seeds count from here
   * @param seeds how many
   * @param simulations asked once for each thread
   * @param maxFailures after so many it ends early
   */
  public Campaign(
      long firstSeed, long seeds, Supplier<? extends SeededRun> simulations, int maxFailures) {
    this.firstSeed = firstSeed;
    this.seeds = seeds;
    this.simulations = simulations;
    this.maxFailures = maxFailures;
  }

  /**
   * Runs them.
   *
   * @param threads how many work at a time
   * @param progress is told how many are done, now and then, by one of the threads
   * @return the failures that were found, lowest seed first
   * @throws IllegalStateException if a simulation itself broke down; names its seed
   */
  public List<Result> run(int threads, LongConsumer progress) throws InterruptedException {
    try (ExecutorService pool = Executors.newFixedThreadPool(threads)) {
      List<Future<?>> workers = new ArrayList<>();
      for (int thread = 0; thread < threads; thread++) {
        workers.add(pool.submit(() -> work(progress)));
      }
      for (Future<?> worker : workers) {
        worker.get();
      }
    } catch (ExecutionException e) {
      throw new IllegalStateException("the simulation itself broke down: " + e.getCause(), e);
    }
    requireNoBreakdown();
    return failures.stream().sorted(Comparator.comparingLong(Result::seed)).toList();
  }

  private void work(LongConsumer progress) {
    SeededRun simulation = simulations.get();
    long index;
    while ((index = next.getAndIncrement()) < seeds && !isSpoilt()) {
      try {
        run(simulation, firstSeed + index);
      } catch (Throwable e) { // of any kind: the other threads are to end, too
        brokeDown(firstSeed + index, e);
        return;
      }
      progress.accept(done.incrementAndGet());
    }
  }

  private void run(SeededRun simulation, long seed) {
    Result result = simulation.run(seed);
    events.addAndGet(result.events());
    if (!result.isClean()) {
      add(Shrinker.shrink(simulation, result));
    }
  }

  private synchronized void brokeDown(long seed, Throwable cause) {
    if (breakdown == null) {
      breakdown =
          new IllegalStateException(
              "the simulation itself broke down with seed " + seed + ": " + cause, cause);
    }
  }

  private synchronized void requireNoBreakdown() {
    IllegalStateException present = breakdown;
    if (present != null) {
      throw present;
    }
  }

  private synchronized void add(Result failure) {
    failures.add(failure);
  }

  private synchronized boolean isSpoilt() {
    return breakdown != null || failures.size() >= maxFailures;
  }

  /** How many seeds were run so far. */
  public long done() {
    return done.get();
  }

  /** How many events they took. */
  public long events() {
    return events.get();
  }
}
