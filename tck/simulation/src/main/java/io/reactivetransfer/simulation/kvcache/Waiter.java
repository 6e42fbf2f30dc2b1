package io.reactivetransfer.simulation.kvcache;

import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;

/** Waits for something that must end, once, as long as its process lives. */
class Waiter implements CoreSubscriber<Object> {

  final KvNode node;
  private final String what;
  private final boolean mustComplete;
  private @Nullable Subscription subscription;
  private boolean ended;

  /**
   * Is entered into the world's books.
   *
   * @param mustComplete whether an error needs an engine that closes
   */
  Waiter(KvNode node, String what, boolean mustComplete) {
    this.node = node;
    this.what = what;
    this.mustComplete = mustComplete;
    node.world().waiters().add(this);
  }

  boolean isOver() {
    return ended || node.isKilled();
  }

  /** It has ended; with an error or null. */
  void end(@Nullable Throwable failure) {}

  /** It is not waited for any more. */
  void cancel() {
    Subscription source = subscription;
    if (!ended && source != null) {
      ended = true;
      source.cancel();
    }
  }

  @Override
  public void onSubscribe(Subscription source) {
    subscription = source;
    source.request(Long.MAX_VALUE);
  }

  @Override
  public void onNext(Object value) {
    node.world().referee().require(!ended, this + " got an element after its end");
  }

  @Override
  public void onError(Throwable failure) {
    node.world().referee().require(!mustComplete || node.isClosing(), this + " failed: " + failure);
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
