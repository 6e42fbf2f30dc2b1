package io.reactivetransfer.engine;

import io.reactivetransfer.EngineOptions;
import io.reactivetransfer.IdleStrategy;
import io.reactivetransfer.spi.EngineEnvironment;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import reactor.core.scheduler.NonBlocking;

/**
 * A thread of its own that gives turns without end: pinned if wanted, spinning while there is work,
 * then backing off, then parked until the doorbell rings. {@code block()} on it is refused.
 */
final class NicThread extends Thread implements WorkerHost, NonBlocking {

  private final EngineOptions options;
  private final EngineEnvironment environment;
  private final CompletableFuture<Void> done = new CompletableFuture<>();
  private @Nullable Worker worker;
  private volatile boolean rung;
  private volatile boolean parked;
  private boolean stopped;
  private int idleTurns;

  NicThread(String name, EngineOptions options, EngineEnvironment environment) {
    super(null, null, name, 0, false);
    setDaemon(true);
    this.options = options;
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
    if (!rung) {
      rung = true;
      if (parked) {
        LockSupport.unpark(this);
      }
    }
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
      } catch (RuntimeException e) {
        current.openFailed(e);
      }
    }
    while (!stopped) {
      rung = false;
      if (current.doWork() > 0) {
        idleTurns = 0;
      } else {
        idle(current);
      }
    }
    done.complete(null);
  }

  /** The only place where this thread waits; BlockHound is told so. */
  private void idle(Worker current) {
    IdleStrategy strategy = options.idle();
    if (idleTurns++ < strategy.spins()) {
      Thread.onSpinWait();
      return;
    }
    // each park twice as long as the one before; the shift is bounded, for it is taken modulo 64
    int parks = Math.min(idleTurns - strategy.spins() - 1, 32);
    long longest = strategy.maxPark().toNanos();
    long nanos = Math.min(strategy.minPark().toNanos() << parks, longest);
    parked = true;
    if (!rung) {
      LockSupport.parkNanos(
          this, Math.min(nanos <= 0 ? longest : nanos, current.nanosToNextTimer()));
    }
    parked = false;
    idleTurns = Math.min(idleTurns, Integer.MAX_VALUE - 1);
  }

  @Override
  public CompletionStage<Void> halt() {
    stopped = true;
    return done;
  }
}
