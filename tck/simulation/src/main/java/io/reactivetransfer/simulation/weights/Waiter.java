package io.reactivetransfer.simulation.weights;

import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;

/**
 * Waits for something that must end, once, as long as its process lives.
 *
 * @param <T> what it may emit
 */
class Waiter<T> implements CoreSubscriber<T> {

  final WeightsNode node;
  private final String what;
  private final boolean mustComplete;
  private boolean ended;

  /**
   * Is entered into the world's books.
   *
   * @param mustComplete whether an error needs an engine that closes
   */
  Waiter(WeightsNode node, String what, boolean mustComplete) {
    this.node = node;
    this.what = what;
    this.mustComplete = mustComplete;
    node.world().waiters().add(this);
  }

  boolean isOver() {
    return ended || node.isKilled();
  }

  /** It has emitted something. */
  void next(T value) {}

  /** It has ended; with an error or null. */
  void end(@Nullable Throwable failure) {}

  @Override
  public void onSubscribe(Subscription source) {
    source.request(Long.MAX_VALUE);
  }

  @Override
  public void onNext(T value) {
    node.world().referee().require(!ended, this + " got an element after its end");
    next(value);
  }

  @Override
  public void onError(Throwable failure) {
    node.world().referee().require(!mustComplete || node.mayFail(), this + " failed: " + failure);
    over(failure);
  }

  @Override
  public void onComplete() {
    over(null);
  }

  private void over(@Nullable Throwable failure) {
    node.world().referee().require(!ended, this + " ended twice");
    node.world().referee().note(node.index(), "end of " + what, failure == null ? 0 : 1);
    ended = true;
    end(failure);
  }

  @Override
  public String toString() {
    return what + " of " + node;
  }
}
