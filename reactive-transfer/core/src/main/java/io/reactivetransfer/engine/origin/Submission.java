package io.reactivetransfer.engine.origin;

import io.reactivetransfer.Transfer;
import io.reactivetransfer.TransferException;
import io.reactivetransfer.TransferRejectedException;
import io.reactivetransfer.engine.base.Chain;
import io.reactivetransfer.engine.base.NotClosed;
import io.reactivetransfer.engine.base.Scanned;
import io.reactivetransfer.engine.base.Signals;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
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
 *   <li>the NIC thread takes them from there, and puts those that are done into {@code done};
 *   <li>the signal scheduler emits those, and then asks upstream for more.
 * </ul>
 *
 * <p>What upstream was asked for and has not been emitted never exceeds the window, nor what
 * downstream has asked for. So both queues have room for every element that can come.
 */
final class Submission<T extends Transfer, R> implements CoreSubscriber<Object>, Scanned, Runnable {

  private final Streams streams;
  private final CoreSubscriber<? super R> downstream;
  private final Scheduler.Worker signals;
  private final long deadlineNanos;
  private final boolean single; // upstream emits one element at most
  private final Results<T, R> results;
  private final HandOver<T> incoming;
  private final HandOver<R> done;
  private final Runnable intake = this::intakeRequested;

  // upstream's side, and anyone's
  private final Pull pull;
  private @Nullable Throwable upstreamError;
  private long received;
  private volatile boolean upstreamDone;
  private volatile boolean cancelled;
  private volatile @Nullable Throwable misuse;
  private final AtomicBoolean intakeQueued = new AtomicBoolean();

  // the NIC thread's side
  private final Lanes lanes = new Lanes();

  /** Its place among all that are registered. */
  final Chain.Link<Submission<?, ?>> place = new Chain.Link<>(this);

  /** Its place among those that wait for room. */
  final Chain.Link<Submission<?, ?>> stalled = new Chain.Link<>(this);

  private boolean registered;
  private boolean stopping;
  private boolean closing; // it was stopped because the engine closes
  private boolean gaveUp; // some transfer was not done
  private boolean touched;
  private long serial;
  private @Nullable Step step;
  private int inFlight;
  private @Nullable T held; // taken out of incoming, waits for room
  private @Nullable Throwable error;
  private volatile boolean failed;
  private volatile boolean ended;

  // the signal scheduler's side
  private final AtomicInteger draining = new AtomicInteger();
  private final AtomicBoolean drainDue = new AtomicBoolean();
  private final AtomicInteger asking = new AtomicInteger();
  private boolean upstreamCancelled;
  private @Nullable Throwable thrown; // by downstream, which gets nothing more but this
  private volatile boolean terminated;

  Submission(
      Streams streams,
      CoreSubscriber<? super R> downstream,
      Results<T, R> results,
      int window,
      long deadlineNanos,
      boolean single) {
    this.streams = streams;
    this.single = single;
    this.results = results;
    this.deadlineNanos = deadlineNanos;
    this.downstream = downstream;
    this.pull = new Pull(window, this::misuse);
    int most = single ? 1 : window;
    this.incoming = new HandOver<>(most);
    this.done = new HandOver<>(most);
    this.signals = streams.signals().createWorker();
  }

  // ---- for whoever looks at it ----

  @Override
  public CoreSubscriber<? super R> actual() {
    return downstream;
  }

  @Override
  public boolean isOver() {
    return terminated || cancelled;
  }

  @Override
  @SuppressWarnings("rawtypes") // as Reactor has it
  public @Nullable Object scanUnsafe(Attr key) {
    if (key.equals(Attr.PARENT)) {
      return pull.upstream();
    }
    if (key.equals(Attr.REQUESTED_FROM_DOWNSTREAM)) {
      return pull.outstanding();
    }
    if (key.equals(Attr.CANCELLED)) {
      return cancelled;
    }
    return key.equals(Attr.ERROR) ? upstreamError : Scanned.super.scanUnsafe(key);
  }

  // ---- upstream ----

  @Override
  public Context currentContext() {
    return downstream.currentContext();
  }

  @Override
  public void onSubscribe(Subscription subscription) {
    if (!pull.from(subscription)) {
      return;
    }
    try {
      downstream.onSubscribe(this);
    } catch (Throwable failure) {
      misuse = failure;
    }
    wake();
  }

  /** Upstream's {@code subscribe} has thrown: with a subscription, or without. */
  void notSubscribed(Throwable reason) {
    if (pull.refuse()) {
      terminated = true;
      streams.admission().leave();
      signals.dispose();
      Operators.error(downstream, reason);
    } else if (upstreamDone) {
      Signals.thrown(reason);
    } else {
      misuse(reason);
    }
  }

  @Override
  public void onNext(Object element) {
    if (upstreamDone) {
      Operators.onNextDropped(element, currentContext());
    } else if (!(element instanceof Transfer)) {
      notATransfer(element);
    } else {
      @SuppressWarnings("unchecked") // as far as anyone can tell
      T transfer = (T) element;
      if (++received > pull.asked()) {
        misuse(
            new IllegalStateException(
                "expected upstream to emit no more than the "
                    + pull.asked()
                    + " transfers that it was asked for (rule 1.1), got one more"));
      } else {
        incoming.give(transfer);
        if (single) {
          upstreamDone = true; // it is whole, though upstream has yet to say so
        }
        wake(); // at once: what upstream computes next may take long, or wait for this one
      }
    }
  }

  private void notATransfer(@Nullable Object element) {
    if (element == null) {
      NullPointerException reason =
          new NullPointerException("expected a transfer from upstream (rule 2.13), got null");
      misuse(reason);
      throw reason;
    }
    misuse(
        new ClassCastException(
            "expected a transfer from upstream, got a " + element.getClass().getName()));
  }

  @Override
  public void onError(Throwable failure) {
    if (upstreamDone) {
      Operators.onErrorDropped(failure, currentContext());
      return;
    }
    upstreamError =
        failure == null
            ? new NullPointerException(
                "expected upstream to say why it failed (rule 2.13), got null")
            : failure;
    upstreamDone = true;
    wake();
  }

  @Override
  public void onComplete() {
    upstreamDone = true;
    wake();
  }

  // ---- downstream ----

  /**
   * Upstream is asked on this thread for the first time, which nothing can wait for, and later on
   * the signal scheduler: whoever asks for more may be the one who is to give back what upstream
   * waits for.
   */
  @Override
  public void request(long n) {
    if (n <= 0) {
      misuse(new IllegalArgumentException("expected a request of 1 or more (rule 3.9), got " + n));
      return;
    }
    pull.wanted(n);
    if (pull.asked() > 0 || !pull.ask()) {
      drain();
    }
  }

  @Override
  public void cancel() {
    if (!cancelled) {
      cancelled = true;
      pull.cancel();
      wake();
    }
  }

  private void misuse(Throwable reason) {
    misuse = reason;
    wake();
  }

  // ---- the NIC thread ----

  private void wake() {
    if (!streams.commands().owner().inTurn()) {
      // What was left for the NIC thread may be a write that is delayed behind the read: then an
      // intake
      // that has begun would be taken for one that will. On the NIC thread itself none begins
      // meanwhile.
      VarHandle.fullFence();
    }
    if (!intakeQueued.get() && intakeQueued.compareAndSet(false, true)) {
      try {
        streams.commands().execute(intake);
      } catch (RuntimeException | Error e) {
        intakeQueued.set(false); // whatever comes next wakes it again
        throw e;
      }
    }
  }

  private void intakeRequested() {
    intakeQueued.set(false);
    if (!registered) {
      registered = true;
      serial = streams.submissions().register(this);
    }
    streams.submissions().takeFrom(this);
  }

  /**
   * Takes over what has come. On the NIC thread.
   *
   * @return whether there is room for more; if not, it must be called again
   */
  boolean intake() {
    boolean last = upstreamDone;
    stopIfTold(last);
    Launch launch = streams.launch();
    while (!stopping) {
      T transfer = held == null ? incoming.take() : held;
      if (transfer == null) {
        break;
      }
      if (!launch.hasRoomFor(transfer)) {
        held = transfer;
        return false;
      }
      if (held != null) {
        held = null;
      }
      inFlight++;
      streams.counters().transfers(1);
      try {
        launch.begin(this, transfer);
      } catch (TransferException rejected) {
        streams.flights().rejected(this, transfer, rejected);
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

  /** A transfer has come to its end: done, failed, or stopped. On the NIC thread. */
  void transferEnded(Transfer transfer, @Nullable TransferException failure, boolean reached) {
    if (reached) {
      transferDone(transfer);
      return;
    }
    gaveUp = true;
    if (results.each()) {
      emit(results.failed(own(transfer), failure == null ? stopped() : failure));
    } else if (failure != null) {
      stop(failure);
    }
    oneLess();
  }

  /** A transfer is done. On the NIC thread. */
  void transferDone(Transfer transfer) {
    emit(results.done(own(transfer)));
    oneLess();
  }

  private void oneLess() {
    streams.counters().transfers(-1);
    if (--inFlight == 0) {
      endIfOver(upstreamDone);
    }
  }

  @SuppressWarnings("unchecked") // it came out of this submission's own queue
  private T own(Transfer transfer) {
    return (T) transfer;
  }

  private void emit(R result) {
    done.give(result);
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
        : "its stream failed: " + Signals.textOf(reason);
  }

  /** Whether the failure of one transfer leaves the others alone. */
  boolean goesOnAfterFailure() {
    return results.each();
  }

  /** What is on its way of it. On the NIC thread. */
  Lanes lanes() {
    return lanes;
  }

  /** Grows from submission to submission. */
  long serial() {
    return serial;
  }

  /**
   * What its transfers that are not done have in common: the failure of the stream, that of one
   * transfer to several peers, or nothing, which is null.
   */
  @Nullable Step step(@Nullable Fan fan) {
    if (goesOnAfterFailure() && !stopping) {
      return fan == null ? null : fan.step();
    }
    if (step == null) {
      step = new Step();
    }
    return step;
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
    streams.flights().stop(this);
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
      streams.submissions().unregister(this);
      touch();
    }
  }

  /**
   * The engine has broken down, and nothing below can touch memory any more: ends it, whatever is
   * still missing.
   */
  void breakOff(Throwable reason) {
    stop(reason);
    if (!ended) {
      gaveUp = true;
      error = error == null ? reason : error;
      streams.counters().transfers(-inFlight);
      inFlight = 0;
      ended = true;
      streams.submissions().unregister(this);
      touch();
    }
  }

  /** What it ends with does not say that a NIC may still be busy with it: now it does. */
  void notQuiet(NotClosed notClosed) {
    if (error != null) {
      error = notClosed.after(error);
    }
  }

  private void discardIncoming() {
    T dropped = held == null ? incoming.take() : held;
    held = null;
    List<T> discarded = null;
    while (dropped != null) {
      gaveUp = true;
      streams.flights().dropped(this, dropped);
      if (results.each() && !cancelled && !ended) {
        emit(results.failed(dropped, stopped()));
      } else {
        discarded = discarded == null ? new ArrayList<>() : discarded;
        discarded.add(dropped);
      }
      dropped = incoming.take();
    }
    if (discarded != null) {
      discard(discarded);
    }
  }

  /** What is done with them is a user's code, which does not run on the NIC thread. */
  private void discard(List<T> dropped) {
    streams.signals().signal(() -> Operators.onDiscardMultiple(dropped, currentContext()));
  }

  private void touch() {
    if (!touched) {
      touched = true;
      streams.submissions().signalLater(this);
    }
  }

  /** Has the signal scheduler emit what there is. On the NIC thread, once a turn. */
  void signal() {
    touched = false;
    drain();
  }

  // ---- the signal scheduler ----

  /**
   * Has the signal scheduler emit what there is, and ask for more. From any thread. As long as a
   * thread of it is within upstream's request, and may wait there for what is to be emitted,
   * another one is needed: two tries, because schedulers that hand out their threads in turn could
   * hand out that very one.
   */
  private void drain() {
    if (terminated || draining.getAndIncrement() != 0) {
      return;
    }
    drainDue.set(true);
    try {
      if (asking.get() == 0) {
        signals.schedule(this);
      } else {
        streams.signals().schedule(this);
        streams.signals().schedule(this);
      }
    } catch (Throwable failure) {
      if (!terminated) {
        streams.signals().failed(failure);
        run();
      }
    }
  }

  @Override
  public void run() {
    if (!drainDue.compareAndSet(true, false)) {
      return; // another thread was faster
    }
    asking.incrementAndGet(); // before another thread may emit, see drain()
    int missed = 1;
    do {
      emit();
      missed = draining.addAndGet(-missed);
    } while (missed != 0);
    boolean all = failed || terminated || pull.ask();
    if (asking.decrementAndGet() == 0 && terminated) {
      signals.dispose(); // by the last one, because disposing interrupts
    }
    if (!all) {
      drain();
    }
  }

  private void emit() {
    boolean last = ended;
    emitDone();
    if (failed && !upstreamCancelled && !cancelled) {
      upstreamCancelled = true;
      if (!upstreamDone) {
        pull.cancel();
      }
    }
    if (last && !terminated) {
      terminate();
    }
  }

  private void emitDone() {
    R result;
    long count = 0;
    while ((result = done.take()) != null) {
      if (!cancelled && !terminated && thrown == null) {
        count++;
        try {
          downstream.onNext(result);
        } catch (Throwable failure) {
          thrown = failure;
          misuse(failure);
        }
      }
    }
    if (count > 0) {
      pull.emitted(count);
    }
  }

  private void terminate() {
    terminated = true;
    streams.admission().leave();
    if (cancelled) {
      return;
    }
    Throwable reason = thrown == null ? error : thrown;
    if (reason != null) {
      Signals.error(downstream, reason);
    } else {
      Signals.complete(downstream);
    }
  }
}
