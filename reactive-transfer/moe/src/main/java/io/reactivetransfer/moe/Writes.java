package io.reactivetransfer.moe;

import io.reactivetransfer.Transfer;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.Disposable;
import reactor.core.publisher.Operators;

/**
 * One stream of writes, for as long as the group lives: says when all that were given are done. It
 * allocates nothing for a write.
 */
final class Writes implements CoreSubscriber<Transfer>, Disposable {

  private final Group group;
  private final Feed<Transfer> feed;
  private final AtomicReference<@Nullable Subscription> stream = new AtomicReference<>();
  private final AtomicInteger out = new AtomicInteger();
  private final Runnable done;
  private final Runnable event = this::done;
  private boolean isOver;

  /**
   * Opens it. In a turn.
   *
   * @param most how many may be out
   * @param done is run in a turn when none is out any more
   */
  Writes(Group group, int most, Runnable done) {
    this.group = group;
    this.feed = new Feed<>(most);
    this.done = done;
    group.add(this);
    group.engine.submit(feed, group.options.deadline()).subscribe(this);
  }

  /** Whether all are done. */
  boolean areDone() {
    return out.get() == 0;
  }

  /** So many are given now. In a turn. */
  void begin(int writes) {
    out.addAndGet(writes);
  }

  /** Gives one of them. */
  void give(Transfer write) {
    feed.give(write);
  }

  /** They go. */
  void end() {
    feed.emit();
  }

  @Override
  public void onSubscribe(Subscription subscription) {
    if (stream.compareAndSet(null, subscription)) {
      subscription.request(Long.MAX_VALUE);
    } else {
      subscription.cancel();
    }
  }

  @Override
  public void onNext(Transfer write) {
    if (out.decrementAndGet() == 0) {
      group.heard(event);
    }
  }

  private void done() {
    if (!isOver) {
      done.run();
    }
  }

  @Override
  public void onError(Throwable reason) {
    group.heard(() -> {
      if (!isOver) {
        group.streamFailed("a write has failed", reason);
      }
    });
  }

  @Override
  public void onComplete() {
    // upstream has no end
  }

  /** Nothing more of it is posted, and nobody hears of it. In a turn. */
  @Override
  public void dispose() {
    isOver = true;
    Subscription upstream = stream.getAndSet(Operators.cancelledSubscription());
    if (upstream != null) {
      upstream.cancel();
    }
  }
}
