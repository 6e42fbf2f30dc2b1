package io.reactivetransfer.engine;

import io.reactivetransfer.TransferException;
import io.reactivetransfer.TransferException.Origin;
import io.reactivetransfer.TransferFailedException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Closes a worker: nothing new, then nothing waiting, then nothing in flight (for as long as that
 * is allowed to take), then regions, NICs and thread. Belongs to the worker.
 */
final class Shutdown {

  private final Worker worker;
  private final List<Answer<Void>> waiters = new ArrayList<>();
  private boolean begun;
  private boolean threadEnded;
  private boolean overdue;
  private boolean finished;
  private @Nullable Throwable cause;

  Shutdown(Worker worker) {
    this.worker = worker;
  }

  boolean isBegun() {
    return begun;
  }

  /** Closes, if that was not begun, and tells when it is over. */
  void begin(Answer<Void> waiter) {
    if (threadEnded) {
      waiter.success();
      return;
    }
    waiters.add(waiter);
    begin((Throwable) null);
  }

  /**
   * Closes.
   *
   * @param cause what broke the worker, or null if it is closed because someone wants so; with a
   *     cause nothing is waited for
   */
  void begin(@Nullable Throwable cause) {
    if (cause != null) {
      overdue = true;
    }
    if (begun) {
      return;
    }
    begun = true;
    this.cause = cause;
    worker.admission().close();
    worker.submissions().forEach(submission -> submission.close(closedError()));
    worker.imms().close(closedError());
    worker.mailroom().close(Admission.closedError());
    worker.barriers().close(Admission.closedError());
    worker.endWatches(Admission.closedError());
    worker.closeWatchers().forEach(Runnable::run);
    long deadline = worker.now() + worker.options().closeTimeout().toNanos();
    worker.timers().at(deadline, () -> overdue = true);
  }

  private TransferException closedError() {
    return cause == null
        ? Admission.closedError()
        : new TransferFailedException("the engine broke down: " + cause, Origin.UNKNOWN, cause);
  }

  /** Goes on with closing, once a turn. */
  void step() {
    if (begun && !finished && (overdue || isQuiet())) {
      finished = true;
      finish();
    }
  }

  /** Nothing is in flight, and everyone who waits for what will not come was told. */
  private boolean isQuiet() {
    return worker.flights().inFlight() == 0 && worker.mailroom().flushed();
  }

  private void finish() {
    NicGroup nics = worker.nics();
    if (cause != null || worker.flights().inFlight() > 0) {
      // closing the NICs is what makes sure that nothing touches memory any more
      nics.close(worker::defect);
      worker
          .flights()
          .abandon(
              new TransferFailedException(
                  "the engine closed before the outcome was known", Origin.UNKNOWN, cause));
    }
    nics.endTurn();
    worker.regions().forEach(this::close);
    nics.close(worker::defect);
    worker.regions().forEach(RegisteredRegion::nicsClosed);
    worker.host().halt().whenComplete((nothing, failure) -> worker.execute(this::threadHasEnded));
    worker.terminate();
  }

  private void close(RegisteredRegion region) {
    try {
      region.closeNow(() -> {});
    } catch (RuntimeException e) {
      worker.defect("a " + region + " could not be closed before its NICs: " + e);
    }
  }

  private void threadHasEnded() {
    threadEnded = true;
    waiters.forEach(Answer::success);
    waiters.clear();
  }
}
