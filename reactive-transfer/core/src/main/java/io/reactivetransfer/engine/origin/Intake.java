package io.reactivetransfer.engine.origin;

import io.reactivetransfer.Transfer;
import io.reactivetransfer.engine.base.Scanned;
import io.reactivetransfer.engine.base.Signals;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Operators;
import reactor.util.context.Context;

/**
 * One stream of transfers as its neighbours see it: the subscriber of upstream, and the
 * subscription of downstream. On any thread. What comes it gives to the {@link Window}, and has the
 * NIC thread take it from there.
 *
 * <p>What upstream was asked for and has not been emitted never exceeds the window, nor what
 * downstream has asked for. So the window has room for every element that can come.
 */
final class Intake<R> implements CoreSubscriber<Object>, Scanned {

  private final Streams streams;
  private final CoreSubscriber<? super R> downstream;
  private final boolean single; // upstream emits one element at most
  private final StreamState state = new StreamState();
  private final Pull pull;
  private final Window window;
  private final Emission<R> emission;
  private final Submission submission;
  private final AtomicBoolean queued = new AtomicBoolean();
  private final Runnable take = this::take;
  private long received;

  Intake(
      Streams streams,
      CoreSubscriber<? super R> downstream,
      Results<?, R> results,
      int window,
      long deadlineNanos,
      boolean single) {
    this.streams = streams;
    this.downstream = downstream;
    this.single = single;
    this.pull = new Pull(window, this::misuse);
    this.window = new Window(single ? 1 : window);
    this.emission =
        new Emission<>(streams, state, pull, this.window, results, downstream, this::misuse);
    this.submission = new Submission(streams, state, this.window, results, emission, deadlineNanos);
  }

  // ---- for whoever looks at it ----

  @Override
  public CoreSubscriber<? super R> actual() {
    return downstream;
  }

  @Override
  public boolean isOver() {
    return state.terminated || state.cancelled;
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
      return state.cancelled;
    }
    return key.equals(Attr.ERROR) ? state.upstreamError : Scanned.super.scanUnsafe(key);
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
      state.misuse = failure;
    }
    wake();
  }

  /** Upstream's {@code subscribe} has thrown: with a subscription, or without. */
  void notSubscribed(Throwable reason) {
    if (pull.refuse()) {
      emission.neverBegan();
      Operators.error(downstream, reason);
    } else if (state.upstreamDone) {
      Signals.thrown(reason);
    } else {
      misuse(reason);
    }
  }

  @Override
  public void onNext(Object element) {
    if (state.upstreamDone) {
      Operators.onNextDropped(element, currentContext());
    } else if (!(element instanceof Transfer)) {
      notATransfer(element);
    } else {
      if (++received > pull.asked()) {
        misuse(
            new IllegalStateException(
                "expected upstream to emit no more than the "
                    + pull.asked()
                    + " transfers that it was asked for (rule 1.1), got one more"));
      } else if (!window.give(element)) {
        misuse(
            new IllegalStateException(
                "expected an AimedWrite that no stream has, got one that is on its way: "
                    + element));
      } else {
        if (single) {
          state.upstreamDone = true; // it is whole, though upstream has yet to say so
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
    if (state.upstreamDone) {
      Operators.onErrorDropped(failure, currentContext());
      return;
    }
    state.upstreamError =
        failure == null
            ? new NullPointerException(
                "expected upstream to say why it failed (rule 2.13), got null")
            : failure;
    state.upstreamDone = true;
    wake();
  }

  @Override
  public void onComplete() {
    state.upstreamDone = true;
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
      emission.drain();
    }
  }

  @Override
  public void cancel() {
    if (!state.cancelled) {
      state.cancelled = true;
      pull.cancel();
      wake();
    }
  }

  private void misuse(Throwable reason) {
    state.misuse = reason;
    wake();
  }

  // ---- the hand-over to the NIC thread ----

  private void wake() {
    if (!streams.commands().owner().inTurn()) {
      // What was left for the NIC thread may be a write that is delayed behind the read: then a
      // take that has begun would be taken for one that will. On the NIC thread itself none begins
      // meanwhile.
      VarHandle.fullFence();
    }
    if (!queued.get() && queued.compareAndSet(false, true)) {
      try {
        streams.commands().execute(take);
      } catch (RuntimeException | Error e) {
        queued.set(false); // whatever comes next wakes it again
        throw e;
      }
    }
  }

  private void take() {
    queued.set(false);
    streams.submissions().takeFrom(submission);
  }
}
