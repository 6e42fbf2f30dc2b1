package io.reactivetransfer.engine;

import io.reactivetransfer.TransferException;
import io.reactivetransfer.TransferException.Origin;
import io.reactivetransfer.TransferFailedException;
import io.reactivetransfer.engine.base.Admission;
import io.reactivetransfer.engine.base.Answer;
import io.reactivetransfer.engine.base.Chain;
import io.reactivetransfer.engine.base.NotClosed;
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
  private final Set<Answer<Void>> waiters = new LinkedHashSet<>();

  /** Those who want to know when it is over, and did not ask for it. */
  private final Set<Answer<Void>> watchers = new LinkedHashSet<>();

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
      tell(waiter);
      return;
    }
    waiters.add(waiter);
    waiter.onCancel(() -> worker.execute(() -> waiters.remove(waiter)));
    begin((Throwable) null);
  }

  /** Tells when it is over, whoever begins it. */
  void watch(Answer<Void> watcher) {
    if (threadEnded) {
      tellReason(watcher);
      return;
    }
    watchers.add(watcher);
    watcher.onCancel(() -> worker.execute(() -> watchers.remove(watcher)));
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
    TransferException reason = closedError();
    Chain.Link<Submission<?, ?>> each = worker.submissions().first();
    while (each != null) {
      Submission<?, ?> submission = each.member();
      each = each.next(); // before, because it may leave
      worker.attempt("closing a stream", () -> submission.close(reason));
    }
    worker.attempt("ending claims", () -> worker.imms().close(reason));
    worker.attempt("ending messages", () -> worker.mailroom().close(Admission.closedError()));
    worker.attempt("ending barriers", () -> worker.barriers().close(Admission.closedError()));
    worker.attempt("ending revocations", () -> worker.revocations().close());
    worker.attempt("ending watches", () -> worker.endWatches(Admission.closedError()));
    worker.closeWatchers().forEach(action -> worker.attempt("an action at close", action));
    long deadline = worker.now() + worker.options().closeTimeout().toNanos();
    worker.timers().at(deadline, () -> overdue = true);
  }

  /**
   * The worker has failed: closes, and waits for nothing. What fails again on the way is said, and
   * ends nothing: the NICs are closed in any case, everyone who waits is told, and the thread ends.
   */
  void breakDown(Throwable cause) {
    worker.attempt("closing", () -> begin(cause));
    overdue = true;
    worker.attempt("closing", this::step);
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
    return worker.flights().inFlight() == 0
        && worker.mailroom().flushed()
        && worker.regions().stream().noneMatch(RegisteredRegion::isRegistering);
  }

  private void finish() {
    NicGroup nics = worker.nics();
    boolean broken = cause != null || worker.flights().inFlight() > 0;
    if (broken) {
      // closing the NICs is what makes sure that nothing touches memory any more
      nics.close(worker::defect);
      worker.attempt(
          "ending flights",
          () -> worker.flights().abandon(unknown(), nics.notClosed(), this::failedToEnd));
    }
    worker.attempt("counting", nics::endTurn);
    worker.attempt("closing regions", () -> worker.regions().forEach(this::close));
    nics.close(worker::defect);
    worker.control().close(Admission.closedError());
    if (nics.notClosed() != null) {
      worker.flights().keepMemory();
    }
    worker.attempt("ending streams", () -> endStreams(unknown()));
    worker.attempt("ending regions", () -> worker.regions().forEach(this::nicsClosed));
    worker.attempt("ending the thread", this::endThread);
    worker.terminate();
  }

  /** What those are told of whom nobody knows how they ended. */
  private TransferException unknown() {
    TransferException unknown =
        new TransferFailedException(
            "the engine closed before the outcome was known", Origin.UNKNOWN, cause);
    NotClosed notClosed = worker.nics().notClosed();
    return notClosed == null ? unknown : notClosed.after(unknown);
  }

  private void failedToEnd(Throwable failure) {
    worker.defect("ending a flight failed: " + failure);
  }

  /** Streams that are still there lack what can never come, because something failed. */
  private void endStreams(TransferException reason) {
    Chain.Link<Submission<?, ?>> each = worker.submissions().first();
    while (each != null) {
      Submission<?, ?> submission = each.member();
      each = each.next();
      worker.attempt("ending a stream", () -> submission.breakOff(reason));
    }
  }

  private void close(RegisteredRegion region) {
    try {
      region.closeNow(failure -> {});
    } catch (Throwable e) {
      worker.defect("a " + region + " could not be closed before its NICs: " + e);
    }
  }

  private void nicsClosed(RegisteredRegion region) {
    worker.attempt("ending a region", region::nicsClosed);
  }

  private void endThread() {
    CompletionStage<Void> halted;
    try {
      halted = worker.host().halt();
    } catch (Throwable failure) {
      worker.defect("the thread of the NICs could not be ended: " + failure);
      halted = CompletableFuture.completedStage(null);
    }
    halted.whenComplete((nothing, failure) -> worker.execute(this::threadHasEnded));
  }

  private void threadHasEnded() {
    threadEnded = true;
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
    NotClosed notClosed = worker.nics().notClosed();
    if (notClosed == null) {
      waiter.success();
    } else {
      waiter.error(notClosed.error());
    }
  }
}
