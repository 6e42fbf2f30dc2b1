package io.reactivetransfer.moe;

import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import reactor.core.CoreSubscriber;

/**
 * Who has subscribed to a half of a step, and how far he is. Used again for the same half of the
 * next step, which another thread may begin as soon as all halves of this one were told. So what is
 * done to one life never reaches the next, but for what a subscriber does with a subscription whose
 * signal he has had. From any thread.
 */
final class HalfState<T> {

  /**
   * Bits: somebody has subscribed, has asked for the result, and it is there; he is being told how
   * it has ended, or he has cancelled before that. Above them the number of the life.
   */
  private static final int SUBSCRIBED = 1;

  private static final int ASKED = 2;
  private static final int THERE = 4;
  private static final int TOLD = 8;
  private static final int CANCELLED = 16;
  private static final int LIFE = 32;

  private final AtomicInteger state = new AtomicInteger();
  private @Nullable CoreSubscriber<? super T> subscriber;

  /** The same half of the next step; only if {@link #isFree}. */
  void anew() {
    state.getAndUpdate(now -> (now & -LIFE) + LIFE);
  }

  /** Whether this one is the first to subscribe. */
  boolean subscribe(CoreSubscriber<? super T> who) {
    if ((state.getAndUpdate(now -> now | SUBSCRIBED) & SUBSCRIBED) != 0) {
      return false;
    }
    subscriber = who;
    return true;
  }

  /** The subscriber asks for the result; whether he is to be given it now. */
  boolean ask() {
    return (state.getAndUpdate(now -> now | ASKED) & (ASKED | THERE)) == THERE;
  }

  /** The result is there; whether the subscriber is to be given it now. */
  boolean resultIsThere() {
    return (state.getAndUpdate(now -> now | THERE) & ASKED) != 0;
  }

  /** Whom to tell how it has ended, which is done once; null if he has cancelled. */
  @Nullable CoreSubscriber<? super T> told() {
    // Before the bit: whoever sees that may have the next one subscribed.
    CoreSubscriber<? super T> who = subscriber;
    return (state.getAndUpdate(now -> now | TOLD) & CANCELLED) == 0 ? who : null;
  }

  /**
   * Cancels; false if that changes nothing: nobody has subscribed, or has cancelled, or is told.
   */
  boolean cancel() {
    int now = state.get();
    int life = now & -LIFE;
    while ((now & -LIFE) == life && (now & (SUBSCRIBED | TOLD | CANCELLED)) == SUBSCRIBED) {
      if (state.compareAndSet(now, now | CANCELLED)) {
        return true;
      }
      now = state.get();
    }
    return false;
  }

  /**
   * Whether nobody waits for it any more. One that was cancelled never is: what follows from that
   * is still to come.
   */
  boolean isFree() {
    int now = state.get();
    return (now & SUBSCRIBED) == 0 || (now & (TOLD | CANCELLED)) == TOLD;
  }

  /** Whether somebody was told how it has ended, or is being told. */
  boolean isTold() {
    return (state.get() & TOLD) != 0;
  }
}
