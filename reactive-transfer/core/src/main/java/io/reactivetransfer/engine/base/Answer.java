package io.reactivetransfer.engine.base;

import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import reactor.core.CoreSubscriber;
import reactor.core.scheduler.Scheduler;

/**
 * The answer to one subscription of an {@link AnswerMono}: given once by the NIC thread, told once
 * on the signal scheduler, and undone if the subscriber has gone meanwhile.
 */
public final class Answer<T> implements Scanned, Runnable {

  private static final int WANTED = 1;
  private static final int GIVEN = 2;
  private static final int OVER = 4;

  private final CoreSubscriber<? super T> actual;
  private final Scheduler signals;
  private final AtomicInteger state = new AtomicInteger();
  private @Nullable T value;
  private @Nullable Throwable error;
  private Runnable undo = () -> {};
  private volatile @Nullable Runnable withdraw;

  Answer(CoreSubscriber<? super T> actual, Scheduler signals) {
    this.actual = actual;
    this.signals = signals;
  }

  /** It is done; there is nothing to say. */
  public void success() {
    if (!isGiven()) {
      give(WANTED);
    }
  }

  /**
   * Here it is.
   *
   * @param undo what to do with it if nobody takes it; from any thread
   */
  public void success(T value, Runnable undo) {
    if (!isGiven()) {
      this.value = value;
      this.undo = undo;
      give(0);
    }
  }

  /** It cannot be done. */
  public void error(Throwable reason) {
    if (!isGiven()) {
      error = reason;
      give(WANTED);
    }
  }

  /** What to do if the subscriber goes before the answer is given; from any thread. */
  public void onCancel(Runnable withdraw) {
    this.withdraw = withdraw;
    if (isOver()) {
      withdraw.run();
    }
  }

  @Override
  public CoreSubscriber<? super T> actual() {
    return actual;
  }

  @Override
  public boolean isOver() {
    return (state.get() & OVER) != 0;
  }

  /**
   * The first answer counts; what broke the NIC thread may have been told by the time it is closed.
   */
  private boolean isGiven() {
    return (state.get() & GIVEN) != 0;
  }

  /** Terminal signals need no demand: these are given as if they were wanted. */
  private void give(int wanted) {
    int before = state.getAndUpdate(s -> s | GIVEN | wanted);
    if ((before & OVER) != 0) {
      undo.run();
    } else if (((before | wanted) & WANTED) != 0) {
      tell();
    }
  }

  @Override
  public void request(long n) {
    if (n <= 0) {
      if (finish()) {
        cancelled();
        actual.onError(
            new IllegalArgumentException("expected a request of 1 or more (rule 3.9), got " + n));
      }
      return;
    }
    int before = state.getAndUpdate(s -> s | WANTED);
    if ((before & (WANTED | GIVEN | OVER)) == GIVEN) {
      tell();
    }
  }

  @Override
  public void cancel() {
    if (finish()) {
      cancelled();
    }
  }

  private void cancelled() {
    if ((state.get() & GIVEN) != 0) {
      undo.run();
    } else {
      Runnable action = withdraw;
      if (action != null) {
        action.run();
      }
    }
  }

  private boolean finish() {
    return (state.getAndUpdate(s -> s | OVER) & OVER) == 0;
  }

  private void tell() {
    try {
      signals.schedule(this);
    } catch (Throwable e) {
      run(); // the scheduler is gone; the signal must not be
    }
  }

  @Override
  public void run() {
    if (finish()) {
      if (error != null) {
        Signals.error(actual, error);
      } else if (emitted()) {
        Signals.complete(actual);
      }
    }
  }

  /** Emits the value, if there is one; false if the subscriber has thrown, and was told so. */
  private boolean emitted() {
    try {
      if (value != null) {
        actual.onNext(value);
      }
      return true;
    } catch (Throwable failure) {
      Signals.thrownInNext(failure);
      Signals.error(actual, failure);
      return false;
    }
  }
}
