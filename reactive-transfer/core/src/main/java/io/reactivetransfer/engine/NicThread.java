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
    IdleStrategy idle = options.idle();
    long minPark = idle.minPark().toNanos();
    long maxPark = idle.maxPark().toNanos();
    long park = minPark;
    int idleTurns = 0;
    while (!stopped) {
      rung = false;
      if (current.doWork() > 0) {
        idleTurns = 0;
        park = minPark;
      } else if (idleTurns < idle.spins()) {
        idleTurns++;
        Thread.onSpinWait();
      } else {
        pause(Math.min(park, current.nanosToNextTimer()));
        park = Math.min(park * 2, maxPark);
      }
    }
    done.complete(null);
  }

  /** The only place where this thread waits; BlockHound is told so. */
  private void pause(long nanos) {
    parked = true;
    if (!rung) {
      LockSupport.parkNanos(this, nanos);
    }
    parked = false;
  }

  @Override
  public CompletionStage<Void> halt() {
    stopped = true;
    return done;
  }
}
