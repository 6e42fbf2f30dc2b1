package io.reactivetransfer.weights.run;

import io.reactivetransfer.Transfer;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscriber;
import org.reactivestreams.Subscription;

/**
 * The writes of a run, as the engine asks for them. What was prepared goes first, since its
 * temporary is waited for; what goes as it lies fills the time between. Nothing is allocated for a
 * write.
 */
final class RunFeed implements Publisher<Transfer>, Subscription {

  private final Queue<StepState> ready = new ConcurrentLinkedQueue<>();
  private final AtomicInteger missed = new AtomicInteger();
  private final AtomicLong requested = new AtomicLong();
  private final Supplier<@Nullable StepState> direct;
  private final long steps;
  private final Runnable over;
  private volatile @Nullable Throwable failure;
  private volatile boolean isCancelled;
  private volatile boolean isAwaited;

  /** That was all, or it has failed. Set by the turn. */
  private volatile boolean isDone;

  private volatile long nanos;
  private volatile long endNanos;
  private volatile @Nullable Subscriber<? super Transfer> subscriber;

  // Used by one turn at a time.
  private @Nullable StepState prepared;
  private int nextPrepared;
  private @Nullable StepState plain;
  private int nextPlain;
  private long emitted;
  private long fed;

  /**
   * The feed of one run.
   *
   * @param direct the next step that is only written, or null if there is none now
   * @param steps how many there are in all
   * @param over told when that {@link #isAtIt} may have changed, perhaps several times
   */
  RunFeed(Supplier<@Nullable StepState> direct, long steps, Runnable over) {
    this.direct = direct;
    this.steps = steps;
    this.over = over;
  }

  @Override
  public void subscribe(Subscriber<? super Transfer> to) {
    subscriber = to;
    to.onSubscribe(this);
    drain();
  }

  @Override
  public void request(long n) {
    requested.accumulateAndGet(n, (one, other) -> Math.max(one + other, one));
    drain();
  }

  @Override
  public void cancel() {
    isCancelled = true;
  }

  /** A step can be written. */
  void add(StepState step) {
    ready.add(step);
    drain();
  }

  /** Nothing more is written: the engine stops what is not posted, and waits for what is. */
  void fail(Throwable why) {
    failure = why;
    drain();
  }

  /** How long the engine took to take writes over. */
  long nanos() {
    return nanos;
  }

  /** When the last write was handed over; 0 before that. */
  long endNanos() {
    return endNanos;
  }

  /** There may be something to do. */
  void drain() {
    Subscriber<? super Transfer> to = subscriber;
    if (to == null || missed.getAndIncrement() != 0) {
      return;
    }
    int turns = 1;
    do {
      long began = System.nanoTime();
      drain(to);
      long now = System.nanoTime();
      nanos = nanos + now - began;
      turns = missed.addAndGet(-turns);
    } while (turns != 0);
    if (isAwaited) {
      over.run();
    }
  }

  /**
   * Whether one more may be handed over, though the engine has said that its stream is over: by a
   * thread that is slow at it. Until it is not, none of them may be used for another run. If so, it
   * is told when that changes.
   */
  boolean isAtIt() {
    isAwaited = true;
    return missed.get() != 0 && !isDone;
  }

  private void drain(Subscriber<? super Transfer> to) {
    while (!isDone && !isCancelled) {
      Throwable why = failure;
      if (why != null) {
        isDone = true;
        to.onError(why);
        return;
      }
      StepState step;
      boolean isPrepared;
      try {
        step = prepared();
        isPrepared = step != null;
        if (step == null) {
          step = plain();
        }
      } catch (Throwable thrown) {
        // Else this turn would never end, and no other one begin.
        isDone = true;
        to.onError(thrown);
        return;
      }
      if (step == null) {
        if (fed == steps) {
          isDone = true;
          endNanos = System.nanoTime();
          to.onComplete();
        }
        return;
      }
      if (emitted == requested.get()) {
        return;
      }
      emitted++;
      to.onNext(step.transfers[isPrepared ? nextPrepared++ : nextPlain++]);
    }
  }

  /** What was prepared and has writes left; null if there is none. */
  private @Nullable StepState prepared() {
    while (true) {
      StepState step = prepared;
      if (step == null) {
        step = ready.poll();
        if (step == null) {
          return null;
        }
        prepared = step;
        nextPrepared = 0;
      }
      if (nextPrepared < step.transfers.length) {
        return step;
      }
      prepared = null;
      fed++;
    }
  }

  /** What goes as it lies and has writes left; null if there is none now. */
  private @Nullable StepState plain() {
    while (true) {
      StepState step = plain;
      if (step == null) {
        step = direct.get();
        if (step == null) {
          return null;
        }
        plain = step;
        nextPlain = 0;
      }
      if (nextPlain < step.transfers.length) {
        return step;
      }
      plain = null;
      fed++;
    }
  }
}
