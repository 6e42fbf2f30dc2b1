package io.reactivetransfer.moe;

import io.reactivetransfer.ImmCounter;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.Disposable;
import reactor.core.publisher.Operators;

/**
 * The claims of one immediate of a lane, one in each step, in one stream for as long as the group
 * lives. It allocates nothing for a claim.
 */
final class Arrivals implements CoreSubscriber<Arrivals>, Disposable {

  private final Group group;
  private final MoeLane lane;
  private final int what;
  private final Runnable came;
  private final Runnable event = this::came;
  private final Feed<Arrivals> feed = new Feed<>(1);
  private final AtomicReference<@Nullable Subscription> stream = new AtomicReference<>();
  private volatile int count;
  private boolean isOver;

  /**
   * Opens it. In a turn.
   *
   * @param what comes, as {@link Ranks} has it
   * @param came is run in a turn when as much has come as was claimed
   */
  Arrivals(Group group, MoeLane lane, int what, ImmCounter counter, Runnable came) {
    this.group = group;
    this.lane = lane;
    this.what = what;
    this.came = came;
    group.add(this);
    counter.claims(feed, arrivals -> arrivals.count).subscribe(this);
  }

  /** Claims so many, or none, which have come. In a turn, after those before have come. */
  void claim(int writes) {
    count = writes;
    feed.give(this);
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
  public void onNext(Arrivals arrivals) {
    group.heard(event);
  }

  private void came() {
    if (!isOver) {
      came.run();
    }
  }

  @Override
  public void onError(Throwable reason) {
    group.heard(() -> {
      if (!isOver) {
        group.notArrived(lane, what, count, reason);
      }
    });
  }

  @Override
  public void onComplete() {
    // upstream has no end
  }

  /** What is claimed is given back, and nobody hears of it. In a turn. */
  @Override
  public void dispose() {
    isOver = true;
    Subscription upstream = stream.getAndSet(Operators.cancelledSubscription());
    if (upstream != null) {
      upstream.cancel();
    }
  }
}
