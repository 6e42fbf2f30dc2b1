package io.reactivetransfer.engine;

import io.reactivetransfer.TransferException;
import io.reactivetransfer.TransferException.Origin;
import io.reactivetransfer.TransferFailedException;
import io.reactivetransfer.TransferRejectedException;
import io.reactivetransfer.engine.base.Admission;
import io.reactivetransfer.engine.base.Answer;
import io.reactivetransfer.engine.base.Defects;
import io.reactivetransfer.engine.base.Nics;
import io.reactivetransfer.engine.base.NotClosed;
import io.reactivetransfer.engine.memory.RegisteredRegion;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Closes a worker: nothing new, then nothing waiting, then nothing in flight (for as long as that
 * is allowed to take), then regions, NICs and thread. Belongs to the worker.
 */
final class Shutdown {

  private final Worker worker;
  private final Defects defects;
  private final Set<Answer<Void>> waiters = new LinkedHashSet<>();

  /** Those who want to know when it is over, and did not ask for it. */
  private final Set<Answer<Void>> watchers = new LinkedHashSet<>();

  private boolean threadsEnded;
  private boolean overdue;
  private boolean finished;
  private @Nullable Throwable cause;

  Shutdown(Worker worker) {
    this.worker = worker;
    this.defects = worker.defects();
  }

  /** Closes, if that was not begun, and tells when it is over. */
  void begin(Answer<Void> waiter) {
    if (threadsEnded) {
      tell(waiter);
      return;
    }
    waiters.add(waiter);
    waiter.onCancel(() -> worker.commands().execute(() -> waiters.remove(waiter)));
    begin((Throwable) null);
  }

  /** Tells when it is over, whoever begins it. */
  void watch(Answer<Void> watcher) {
    if (threadsEnded) {
      tellReason(watcher);
      return;
    }
    watchers.add(watcher);
    watcher.onCancel(() -> worker.commands().execute(() -> watchers.remove(watcher)));
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
    if (worker.closing().isBegun()) {
      return;
    }
    worker.closing().begin();
    this.cause = cause;
    worker.admission().close();
    TransferException reason = closedError();
    TransferRejectedException closed = Admission.closedError();
    Parts parts = worker.parts();
    parts.submissions.close(reason, defects);
    defects.attempt("ending claims", () -> parts.imms.close(reason));
    defects.attempt("ending messages", () -> parts.mailroom.close(closed));
    defects.attempt("ending barriers", () -> parts.barriers.close(closed));
    defects.attempt("ending revocations", () -> parts.regions.revocations().close());
    defects.attempt("ending watches", () -> parts.watches.close(closed));
    worker.closing().tell(defects);
    worker.timers().in(worker.options().closeTimeout().toNanos(), () -> overdue = true);
  }

  /**
   * The worker has failed: closes, and waits for nothing. What fails again on the way is said, and
   * ends nothing: the NICs are closed in any case, everyone who waits is told, and the thread ends.
   */
  void breakDown(Throwable cause) {
    defects.attempt("closing", () -> begin(cause));
    overdue = true;
    defects.attempt("closing", this::step);
  }

  private TransferException closedError() {
    return cause == null
        ? Admission.closedError()
        : new TransferFailedException("the engine broke down: " + cause, Origin.UNKNOWN, cause);
  }

  /** Goes on with closing, once a turn. */
  void step() {
    if (worker.closing().isBegun() && !finished && (overdue || isQuiet())) {
      finished = true;
      finish();
    }
  }

  /** Nothing is in flight, and everyone who waits for what will not come was told. */
  private boolean isQuiet() {
    Parts parts = worker.parts();
    return parts.flights.inFlight() == 0
        && parts.mailroom.flushed()
        && parts.regions.all().stream().noneMatch(RegisteredRegion::isRegistering);
  }

  private void finish() {
    Parts parts = worker.parts();
    Nics nics = parts.nics;
    boolean broken = cause != null || parts.flights.inFlight() > 0;
    if (broken) {
      // closing the NICs is what makes sure that nothing touches memory any more
      nics.close();
      defects.attempt(
          "ending flights",
          () -> parts.flights.abandon(unknown(), nics.notClosed(), this::failedToEnd));
    }
    defects.attempt("counting", parts.posting::endTurn);
    defects.attempt("closing regions", () -> parts.regions.all().forEach(this::close));
    nics.close();
    parts.control.close(Admission.closedError());
    if (nics.notClosed() != null) {
      parts.flights.keepMemory();
    }
    defects.attempt("ending streams", () -> parts.submissions.breakOff(unknown(), defects));
    defects.attempt("ending regions", () -> parts.regions.all().forEach(this::nicsClosed));
    worker.recordClosed(cause);
    defects.attempt("ending the thread", this::endThread);
    worker.terminate();
  }

  /** What those are told of whom nobody knows how they ended. */
  private TransferException unknown() {
    TransferException unknown =
        new TransferFailedException(
            "the engine closed before the outcome was known", Origin.UNKNOWN, cause);
    NotClosed notClosed = worker.parts().nics.notClosed();
    return notClosed == null ? unknown : notClosed.after(unknown);
  }

  private void failedToEnd(Throwable failure) {
    defects.report("ending a flight failed: " + failure);
  }

  private void close(RegisteredRegion region) {
    try {
      region.closeNow(failure -> {});
    } catch (Throwable e) {
      defects.report("a " + region + " could not be closed before its NICs: " + e);
    }
  }

  private void nicsClosed(RegisteredRegion region) {
    defects.attempt("ending a region", region::nicsClosed);
  }

  private void endThread() {
    CompletionStage<Void> halted;
    try {
      halted = worker.host().halt();
    } catch (Throwable failure) {
      defects.report("the thread of the NICs could not be ended: " + failure);
      halted = CompletableFuture.completedStage(null);
    }
    CompletionStage<Void> control = worker.parts().control.ended();
    halted.whenComplete((nothing, failure) ->
        control.whenComplete(
            (channel, broken) -> worker.commands().execute(this::threadsHaveEnded)));
  }

  private void threadsHaveEnded() {
    threadsEnded = true;
    List.copyOf(waiters).forEach(this::tell);
    waiters.clear();
    List.copyOf(watchers).forEach(this::tellReason);
    watchers.clear();
  }

  private void tellReason(Answer<Void> watcher) {
    if (cause == null) {
      tell(watcher);
    } else {
      watcher.error(closedError());
    }
  }

  /** It is over; well, if no NIC touches any memory now. */
  private void tell(Answer<Void> waiter) {
    NotClosed notClosed = worker.parts().nics.notClosed();
    if (notClosed == null) {
      waiter.success();
    } else {
      waiter.error(notClosed.error());
    }
  }
}
