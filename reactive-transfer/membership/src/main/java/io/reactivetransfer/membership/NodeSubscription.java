package io.reactivetransfer.membership;

import java.util.Collection;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.Operators;
import reactor.core.scheduler.Scheduler;

/**
 * One subscriber of changes. Whoever brings something, a node, a request or an error, counts it in
 * {@code draining}; the first of them has the scheduler give away what there is, one run at a time.
 */
final class NodeSubscription implements Subscription, NodeSink, Runnable {

  private final CoreSubscriber<? super NodeChange> actual;
  private final NodeTable table;
  private final int maxNodes;
  private final Scheduler signals;
  private final AtomicLong demand = new AtomicLong();
  private final AtomicInteger draining = new AtomicInteger();
  private final Disposable.Swap started = Disposables.swap();
  private volatile @Nullable Throwable ending;
  private volatile boolean over;

  NodeSubscription(
      CoreSubscriber<? super NodeChange> actual, NodeTable table, int maxNodes, Scheduler signals) {
    this.actual = actual;
    this.table = table;
    this.maxNodes = maxNodes;
    this.signals = signals;
  }

  void start(NodeSource source) {
    if (over) {
      return;
    }
    try {
      started.update(source.start(this)); // ends it at once if this has ended meanwhile
    } catch (Throwable failure) {
      error(failure);
    }
  }

  @Override
  public void exists(Node node) {
    told(over || table.put(node));
  }

  @Override
  public void gone(String name) {
    if (!over) {
      table.remove(name);
    }
    told(true);
  }

  @Override
  public void all(Collection<Node> nodes) {
    told(over || table.replace(nodes));
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
    ending = reason;
    drain();
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
    over = true;
    started.dispose();
  }

  private void drain() {
    if (!over && draining.getAndIncrement() == 0) {
      try {
        signals.schedule(this);
      } catch (Throwable refused) {
        end(refused); // nobody else gives anything away: the count stays above 0
      }
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
    while (!over) {
      Throwable reason = ending;
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
        ending = failure;
      }
    }
  }

  private void end(Throwable reason) {
    cancel();
    actual.onError(reason);
  }
}
