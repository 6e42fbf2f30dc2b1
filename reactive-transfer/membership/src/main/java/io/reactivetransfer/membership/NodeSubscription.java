package io.reactivetransfer.membership;

import java.util.Collection;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.Operators;
import reactor.core.scheduler.Scheduler;
import reactor.util.Logger;
import reactor.util.Loggers;

/**
 * One subscriber of changes. Whoever brings something, a node, a request or an error, counts it in
 * {@code draining}; the first of them has the scheduler give away what there is, one run at a time.
 * The count begins at 1, so that nothing is signalled before {@code onSubscribe} has returned.
 */
final class NodeSubscription implements Subscription, NodeSink, Runnable {

  private static final Logger LOG = Loggers.getLogger(NodeSubscription.class);

  private final CoreSubscriber<? super NodeChange> actual;
  private final NodeTable table;
  private final int maxNodes;
  private final Scheduler signals;
  private final AtomicLong demand = new AtomicLong();
  private final AtomicInteger draining = new AtomicInteger(1);
  private final Disposable.Swap started = Disposables.swap();
  private final AtomicReference<@Nullable Throwable> ending = new AtomicReference<>();
  private final AtomicBoolean over = new AtomicBoolean();

  NodeSubscription(
      CoreSubscriber<? super NodeChange> actual, NodeTable table, int maxNodes, Scheduler signals) {
    this.actual = actual;
    this.table = table;
    this.maxNodes = maxNodes;
    this.signals = signals;
  }

  void start(NodeSource source) {
    schedule(); // for what was requested within onSubscribe
    if (isEnding()) {
      return;
    }
    try {
      started.update(source.start(this)); // ends it at once if this has ended meanwhile
    } catch (Throwable failure) {
      error(failure);
    }
  }

  private boolean isEnding() {
    return over.get() || ending.get() != null;
  }

  @Override
  public void exists(Node node) {
    told(isEnding() || table.put(node));
  }

  @Override
  public void gone(String name) {
    if (!isEnding()) {
      table.remove(name);
    }
    told(true);
  }

  @Override
  public void all(Collection<Node> nodes) {
    told(isEnding() || table.replace(nodes));
  }

  private void told(boolean isWithinLimit) {
    if (isWithinLimit) {
      drain();
    } else {
      error(
          new MembershipException(
              "expected at most %,d nodes, got more; allow more, or see who enters so many"
                  .formatted(maxNodes)));
    }
  }

  @Override
  public void error(Throwable reason) {
    if (ending.compareAndSet(null, reason)) {
      started.dispose(); // a subscriber that is slow to see the error keeps no source alive
      drain();
    }
  }

  @Override
  public void request(long n) {
    if (n <= 0) {
      error(new IllegalArgumentException("expected a request of 1 or more (rule 3.9), got " + n));
    } else {
      demand.accumulateAndGet(n, Operators::addCap);
      drain();
    }
  }

  @Override
  public void cancel() {
    over.set(true);
    started.dispose();
  }

  private void drain() {
    if (over.get()) {
      return;
    }
    if (draining.getAndIncrement() == 0) {
      schedule();
    } else if (signals.isDisposed()) {
      cancel(); // its run may be under way or never come, so nothing can be signalled any more
    }
  }

  private void schedule() {
    try {
      signals.schedule(this);
    } catch (Throwable refused) {
      end(refused); // nobody else gives anything away: the count stays above 0
    }
  }

  @Override
  public void run() {
    int missed = 1;
    do {
      giveAway();
      missed = draining.addAndGet(-missed);
    } while (missed != 0);
  }

  private void giveAway() {
    while (!over.get()) {
      Throwable reason = ending.get();
      if (reason != null) {
        end(reason);
        return;
      }
      NodeChange change = demand.get() > 0 ? table.next() : null;
      if (change == null) {
        return;
      }
      demand.updateAndGet(n -> n == Long.MAX_VALUE ? n : n - 1);
      try {
        actual.onNext(change);
      } catch (Throwable failure) {
        thrownInNext(failure);
        error(failure);
      }
    }
  }

  /** Reactor's wrapper of one that is no {@code CoreSubscriber} passes no signal on after it. */
  private static void thrownInNext(Throwable failure) {
    try {
      LOG.warn("a subscriber has thrown in onNext, which it must not: its stream is over", failure);
    } catch (Throwable unsaid) {
      // It cannot say what it is; that the stream ends is more important.
    }
  }

  private void end(Throwable reason) {
    if (over.compareAndSet(false, true)) {
      started.dispose();
      actual.onError(reason);
    } else {
      Operators.onErrorDropped(reason, actual.currentContext());
    }
  }
}
