package io.reactivetransfer.engine;

import io.reactivetransfer.Transfer;
import io.reactivetransfer.TransferException;
import io.reactivetransfer.TransferRejectedException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jctools.queues.varhandle.SpscVarHandleArrayQueue;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Operators;
import reactor.core.scheduler.Scheduler;
import reactor.util.context.Context;

/**
 * One stream of transfers, from its subscription to its terminal signal. Three threads meet here,
 * and each has a side of its own:
 *
 * <ul>
 *   <li>upstream's thread puts transfers into {@code incoming};
 *   <li>the worker takes them from there, and puts those that are done into {@code done};
 *   <li>the signal scheduler emits those, and asks upstream for more.
 * </ul>
 *
 * <p>What upstream was asked for and has not been emitted never exceeds the window, nor what
 * downstream has asked for. So both queues have room for every element that can come.
 */
final class Submission<T extends Transfer, R>
    implements CoreSubscriber<T>, Subscription, Runnable, FlightQueue.Stream {

  private final Worker worker;
  private final CoreSubscriber<? super R> downstream;
  private final Scheduler.Worker signals;
  private final int window;
  private final long deadlineNanos;
  private final Results<T, R> results;
  private final SpscVarHandleArrayQueue<T> incoming;
  private final SpscVarHandleArrayQueue<R> done;
  private final Runnable intake = this::intakeRequested;

  // upstream's side, and anyone's
  private @Nullable Subscription upstream;
  private @Nullable Throwable upstreamError;
  private long received;
  private volatile boolean upstreamDone;
  private volatile boolean cancelled;
  private volatile @Nullable Throwable misuse;
  private final AtomicBoolean intakeQueued = new AtomicBoolean();
  private final AtomicLong demand = new AtomicLong();
  private final AtomicInteger replenishing = new AtomicInteger();
  private @Nullable Thread replenisher;
  private long asked;

  // the worker's side
  private boolean registered;
  private boolean stopping;
  private boolean closing; // it was stopped because the engine closes
  private boolean gaveUp; // some transfer was not done
  private boolean touched;
  private int inFlight;
  private FlightQueue.@Nullable Lane lane;
  private @Nullable T held; // taken out of incoming, waits for room
  private @Nullable Throwable error;
  private volatile boolean failed;
  private volatile boolean ended;

  // the signal scheduler's side
  private final AtomicInteger draining = new AtomicInteger();
  private final AtomicLong emitted = new AtomicLong();
  private boolean upstreamCancelled;
  private volatile boolean terminated;

  Submission(
      Worker worker,
      CoreSubscriber<? super R> downstream,
      Results<T, R> results,
      int window,
      long deadlineNanos) {
    this.worker = worker;
    this.results = results;
    this.deadlineNanos = deadlineNanos;
    this.downstream = downstream;
    this.window = window;
    this.signals = worker.signals().createWorker();
    int capacity = Math.max(4, window);
    this.incoming = new SpscVarHandleArrayQueue<>(capacity);
    this.done = new SpscVarHandleArrayQueue<>(capacity);
  }

  // ---- upstream ----

  @Override
  public Context currentContext() {
    return downstream.currentContext();
  }

  @Override
  public void onSubscribe(Subscription subscription) {
    if (Operators.validate(upstream, subscription)) {
      upstream = subscription;
      downstream.onSubscribe(this);
      wake();
    }
  }

  @Override
  public void onNext(T transfer) {
    if (upstreamDone) {
      Operators.onNextDropped(transfer, currentContext());
    } else if (++received > asked || !incoming.offer(transfer)) {
      misuse(
          new IllegalStateException(
              "expected upstream to emit no more than the "
                  + asked
                  + " transfers that it was asked for (rule 1.1), got one more"));
    } else if (!isReplenishing()) {
      wake();
    }
  }

  /** Whether upstream emits from within our request: then one wake-up after it serves all. */
  @SuppressWarnings("ReferenceEquality") // a thread is itself
  private boolean isReplenishing() {
    return replenisher == Thread.currentThread();
  }

  @Override
  public void onError(Throwable failure) {
    if (upstreamDone) {
      Operators.onErrorDropped(failure, currentContext());
      return;
    }
    upstreamError = failure;
    upstreamDone = true;
    wake();
  }

  @Override
  public void onComplete() {
    upstreamDone = true;
    wake();
  }

  // ---- downstream ----

  @Override
  public void request(long n) {
    if (n <= 0) {
      misuse(new IllegalArgumentException("expected a request of 1 or more (rule 3.9), got " + n));
      return;
    }
    demand.accumulateAndGet(n, Operators::addCap);
    replenish();
  }

  @Override
  public void cancel() {
    if (!cancelled) {
      cancelled = true;
      Subscription source = upstream;
      if (source != null) {
        source.cancel();
      }
      wake();
    }
  }

  private void misuse(Throwable reason) {
    misuse = reason;
    wake();
  }

  /** Asks upstream for what both the window and downstream allow. Serial, from any thread. */
  private void replenish() {
    if (replenishing.getAndIncrement() != 0) {
      return;
    }
    int missed = 1;
    do {
      long room = emitted.getAcquire() + window;
      long limit = Math.min(demand.get(), room);
      long batch = limit - asked;
      // a full window is refilled in quarters, so that upstream is not asked for each element
      boolean worthwhile = limit < room || batch >= (window + 3) >>> 2;
      Subscription source = upstream;
      if (batch > 0 && worthwhile && !cancelled && source != null) {
        asked = limit;
        replenisher = Thread.currentThread();
        source.request(batch);
        replenisher = null;
        if (!incoming.isEmpty() || upstreamDone) {
          wake();
        }
      }
      missed = replenishing.addAndGet(-missed);
    } while (missed != 0);
  }

  // ---- the worker ----

  private void wake() {
    if (!intakeQueued.get() && intakeQueued.compareAndSet(false, true)) {
      worker.execute(intake);
    }
  }

  private void intakeRequested() {
    intakeQueued.set(false);
    if (!registered) {
      registered = true;
      worker.register(this);
    }
    worker.takeFrom(this);
  }

  /**
   * Takes over what has come. On the worker.
   *
   * @return whether there is room for more; if not, it must be called again
   */
  boolean intake() {
    boolean last = upstreamDone;
    stopIfTold(last);
    FlightControl flights = worker.flights();
    while (!stopping) {
      T transfer = held == null ? incoming.poll() : held;
      if (transfer == null) {
        break;
      }
      if (!flights.hasRoomFor(transfer)) {
        held = transfer;
        return false;
      }
      held = null;
      inFlight++;
      worker.counters().add(Counters.TRANSFERS_IN_FLIGHT, 1);
      try {
        flights.begin(this, transfer);
      } catch (TransferException rejected) {
        transferEnded(transfer, rejected, false);
      }
    }
    endIfOver(last);
    return true;
  }

  /** Stops for what upstream or downstream did, if that is a reason to. */
  private void stopIfTold(boolean upstreamDone) {
    if (misuse != null) {
      stop(misuse);
    } else if (cancelled) {
      stop(null);
    } else if (upstreamDone && upstreamError != null) {
      stop(upstreamError);
    }
  }

  /** A transfer has come to its end: done, failed, or stopped. On the worker. */
  void transferEnded(Transfer transfer, @Nullable TransferException failure, boolean reached) {
    inFlight--;
    worker.counters().add(Counters.TRANSFERS_IN_FLIGHT, -1);
    @SuppressWarnings("unchecked") // it came out of this submission's own queue
    T own = (T) transfer;
    gaveUp |= !reached;
    if (reached) {
      emit(results.done(own));
    } else if (results.each()) {
      emit(results.failed(own, failure == null ? stopped() : failure));
    } else if (failure != null) {
      stop(failure);
    }
    if (inFlight == 0) {
      endIfOver(upstreamDone);
    }
  }

  private void emit(R result) {
    if (!done.offer(result)) {
      stop(new IllegalStateException("more transfers are done than were asked for"));
    }
    touch();
  }

  private TransferRejectedException stopped() {
    return new TransferRejectedException("not posted, or not as a whole: " + stopReason());
  }

  /** Why transfers of this submission are given up that have not failed themselves. */
  String stopReason() {
    Throwable reason = error;
    return reason == null
        ? "its stream was cancelled"
        : "its stream failed: " + reason.getMessage();
  }

  /** Whether the failure of one transfer leaves the others alone. */
  boolean goesOnAfterFailure() {
    return results.each();
  }

  long deadlineNanos() {
    return deadlineNanos;
  }

  /**
   * The engine closes. What is out is waited for; if that turns out to be all, and all of it done,
   * then the stream completes: it lacks nothing.
   */
  void close(Throwable reason) {
    closing = !stopping;
    stop(reason);
  }

  /** Takes nothing more, posts nothing more; the end comes when nothing is out any more. */
  void stop(@Nullable Throwable reason) {
    if (stopping || ended) {
      return;
    }
    stopping = true;
    error = reason;
    failed = true;
    touch();
    worker.flights().stop(this);
    endIfOver(upstreamDone);
  }

  private void endIfOver(boolean upstreamDone) {
    if (upstreamDone) {
      stopIfTold(true); // it may have been told since the last look
    }
    if (stopping) {
      discardIncoming();
    }
    boolean drained = held == null && incoming.isEmpty();
    if (!ended && inFlight == 0 && (stopping || (upstreamDone && drained))) {
      if (closing && upstreamDone && upstreamError == null && misuse == null && !gaveUp) {
        error = null;
      }
      ended = true;
      worker.unregister(this);
      touch();
    }
  }

  private void discardIncoming() {
    T dropped = held == null ? incoming.poll() : held;
    held = null;
    while (dropped != null) {
      gaveUp = true;
      worker.flights().abort(dropped, stopReason());
      if (results.each() && !cancelled && !ended) {
        emit(results.failed(dropped, stopped()));
      } else {
        Operators.onDiscard(dropped, currentContext());
      }
      dropped = incoming.poll();
    }
  }

  private void touch() {
    if (!touched) {
      touched = true;
      worker.signalLater(this);
    }
  }

  /** Has the signal scheduler emit what there is. On the worker, once a turn. */
  void signal() {
    touched = false;
    if (!terminated && draining.getAndIncrement() == 0) {
      try {
        signals.schedule(this);
      } catch (RejectedExecutionException e) {
        worker.defect("the signal scheduler is disposed; signals come on the NIC's thread");
        run();
      }
    }
  }

  // ---- the signal scheduler ----

  @Override
  public void run() {
    int missed = 1;
    do {
      boolean last = ended;
      emitDone();
      if (failed && !upstreamCancelled && !cancelled) {
        upstreamCancelled = true;
        if (!upstreamDone && upstream != null) {
          upstream.cancel();
        }
      }
      if (last && !terminated) {
        terminate();
      } else if (!failed) {
        replenish();
      }
      missed = draining.addAndGet(-missed);
    } while (missed != 0);
  }

  private void emitDone() {
    R result;
    long count = 0;
    while ((result = done.poll()) != null) {
      if (!cancelled && !terminated) {
        count++;
        downstream.onNext(result);
      }
    }
    if (count > 0) {
      emitted.setRelease(emitted.getPlain() + count);
    }
  }

  private void terminate() {
    terminated = true;
    worker.admission().leave();
    if (!cancelled) {
      if (error != null) {
        downstream.onError(error);
      } else {
        downstream.onComplete();
      }
    }
    signals.dispose();
  }

  @Override
  public FlightQueue.@Nullable Lane lane() {
    return lane;
  }

  @Override
  public void lane(FlightQueue.@Nullable Lane waiting) {
    lane = waiting;
  }
}
