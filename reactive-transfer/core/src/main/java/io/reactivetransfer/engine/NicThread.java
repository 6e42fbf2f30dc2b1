package io.reactivetransfer.engine;

import io.reactivetransfer.EngineOptions;
import io.reactivetransfer.IdleStrategy;
import io.reactivetransfer.spi.BackendException;
import io.reactivetransfer.spi.Domain;
import io.reactivetransfer.spi.EngineEnvironment;
import io.reactivetransfer.spi.NicWait;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import reactor.core.scheduler.NonBlocking;

/**
 * A thread of its own that gives turns without end: pinned if wanted, spinning while there is work
 * and for a short while after, then asleep until the doorbell rings, a NIC has something, or a
 * timer is due. Where a NIC must be polled, the sleep is short. {@code block()} on it is refused.
 */
final class NicThread extends Thread implements WorkerHost, NonBlocking {

  /**
   * Longest wait on NICs. A ring that a backend forgets, or an interrupt that a driver loses, then
   * costs time and not the stream; ten turns a second cost nothing that could be measured.
   */
  static final long LONGEST_WAIT_NANOS = 100_000_000;

  /** Doublings of a park; the shift is bounded, for it is taken modulo 64. */
  private static final int MAX_DOUBLINGS = 32;

  private final EngineOptions options;
  private final int spins;
  private final long maxSpinNanos;
  private final EngineEnvironment environment;
  private final CompletableFuture<Void> done = new CompletableFuture<>();
  private final Bell bell = new Bell();
  private final Parking parking = new Parking(this);
  private @Nullable Worker worker;
  private boolean stopped;

  // since the last turn with work

  private int idleTurns;
  private long idleSince;
  private int sleeps;

  NicThread(String name, EngineOptions options, EngineEnvironment environment) {
    super(null, null, name, 0, false);
    setDaemon(true);
    this.options = options;
    this.spins = options.idle().spins();
    this.maxSpinNanos =
        spins == Integer.MAX_VALUE ? Long.MAX_VALUE : options.idle().maxSpin().toNanos();
    this.environment = environment;
  }

  @Override
  public void start(Worker worker) {
    this.worker = worker;
    start();
  }

  @Override
  public boolean inWorker() {
    return Thread.currentThread() == this;
  }

  @Override
  public void ring() {
    bell.ring();
  }

  @Override
  public void run() {
    Worker current = worker;
    if (current == null) {
      return;
    }
    if (options.cpu().isPresent()) {
      try {
        environment.pinning().pinCurrentThread(options.cpu().getAsInt());
      } catch (RuntimeException | Error e) {
        current.cannotBegin(e);
      }
    }
    try {
      giveTurns(current);
    } catch (Throwable failure) {
      current.breakDown(failure); // nobody else would give the turns in which everything ends
    } finally {
      done.complete(null);
    }
  }

  private void giveTurns(Worker current) {
    NicWaiting waiting = new NicWaiting(environment.waits(), current.defects()::report);
    while (!stopped) {
      bell.answer();
      if (current.doWork() > 0) {
        idleTurns = 0;
      } else {
        rest(current, waiting);
      }
    }
    waiting.close();
  }

  /** After a turn without work. */
  private void rest(Worker current, NicWaiting waiting) {
    int turns = idleTurns;
    // never as many as IdleStrategy.spin() has
    idleTurns = Math.min(turns + 1, Integer.MAX_VALUE - 1);
    long began = current.timers().turnNanos(); // no look at the clock of its own
    if (turns == 0) {
      idleSince = began;
      sleeps = 0;
    }
    try {
      if (turns < spins && began - idleSince < maxSpinNanos) {
        idle(null, 0);
      } else {
        sleep(current, waiting);
      }
    } catch (BackendException e) {
      waiting.failed(e);
    } catch (RuntimeException | Error e) {
      current.breakDown(e); // as when a NIC throws in a turn
    }
  }

  private void sleep(Worker current, NicWaiting waiting) {
    Domain[] domains = current.polledDomains();
    NicWait wait = waiting.on(domains);
    NicWait sleeper = wait == null ? parking : wait;
    long longest = wait == null ? parkNanos() : LONGEST_WAIT_NANOS;
    try {
      if (bell.fallAsleep(sleeper) && (wait == null || NicWaiting.prepare(domains))) {
        idle(sleeper, Math.min(longest, current.nanosToNextTimer(current.timers().now())));
      }
    } finally {
      bell.wakeUp();
    }
  }

  /** Spins once, or sleeps. The only place where this thread waits; BlockHound is told so. */
  private static void idle(@Nullable NicWait sleeper, long nanos) {
    if (sleeper == null) {
      Thread.onSpinWait();
    } else {
      sleeper.await(nanos);
    }
  }

  /** Each park is twice as long as the one before. */
  private long parkNanos() {
    IdleStrategy strategy = options.idle();
    long longest = strategy.maxPark().toNanos();
    long nanos = Math.min(strategy.minPark().toNanos() << sleeps, longest);
    sleeps = Math.min(sleeps + 1, MAX_DOUBLINGS);
    return nanos <= 0 ? longest : nanos;
  }

  @Override
  public CompletionStage<Void> halt() {
    stopped = true;
    return done;
  }
}
