package io.reactivetransfer.kvcache;

import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Operators;

/**
 * Requests that wait to be taken, one of each decode node in turn; what is cancelled meanwhile
 * leaves at once. Read by one subscriber at a time, and kept between two of them.
 */
final class RequestQueue extends Flux<KvRequest> {

  /** Why one is refused that comes when no more are taken. */
  static final String NO_MORE = "prefill takes no more requests";

  /** Is told of each request that waits no more. */
  interface Left {

    /**
     * It waits no more.
     *
     * @param isTaken whether a reader gets it next
     */
    void left(KvRequest request, boolean isTaken);
  }

  private final WaitingRequests waiting = new WaitingRequests();
  private final Left left;

  /** Guarded by this, like the next ones. */
  private @Nullable Reader reader;

  private boolean ended;
  private @Nullable Throwable failure;

  /**
   * An empty one.
   *
   * @param left is told of each request before its reader gets it, and of each that none gets
   */
  RequestQueue(Left left) {
    this.left = left;
  }

  /** Lets it wait, unless no more are taken. */
  boolean add(KvRequest request) {
    synchronized (this) {
      if (ended) {
        return false;
      }
      waiting.add(request);
    }
    drain();
    return true;
  }

  /** Whether it was waiting. */
  synchronized boolean remove(KvRequest request) {
    return waiting.remove(request);
  }

  /** Whether there is a reader. */
  synchronized boolean isRead() {
    return reader != null;
  }

  /** How many wait. */
  synchronized int size() {
    return waiting.size();
  }

  /** No more will come; returns those that wait, which nobody gets. */
  List<KvRequest> end(@Nullable Throwable reason) {
    List<KvRequest> rest;
    synchronized (this) {
      if (!ended) {
        ended = true;
        failure = reason;
      }
      rest = waiting.clear();
    }
    drain();
    return rest;
  }

  @Override
  public void subscribe(CoreSubscriber<? super KvRequest> actual) {
    Reader next = new Reader(this, actual);
    if (isFirst(next)) {
      actual.onSubscribe(next);
      next.giveAll();
    } else {
      Operators.error(
          actual,
          new IllegalStateException(
              "expected one subscriber of requests() at a time, got another one"));
    }
  }

  private synchronized boolean isFirst(Reader next) {
    if (reader != null) {
      return false;
    }
    reader = next;
    return true;
  }

  private void drain() {
    Reader current;
    synchronized (this) {
      current = reader;
    }
    if (current != null) {
      current.drain();
    }
  }

  private synchronized @Nullable KvRequest poll(Reader who) {
    return reader == who ? waiting.poll() : null;
  }

  /** Its reader has gone before he got it: the next one gets it, before all others. */
  private void putBack(KvRequest request) {
    boolean isKept;
    synchronized (this) {
      isKept = !ended;
      if (isKept) {
        waiting.addFirst(request);
      }
    }
    if (!isKept) {
      left.left(request, false);
      request.dropped(NO_MORE);
    } else if (!request.isOpen() && remove(request)) {
      left.left(request, false); // it was cancelled before it could be found there
    }
    drain();
  }

  private synchronized boolean isOver() {
    return ended && waiting.isEmpty();
  }

  private synchronized @Nullable Throwable failure() {
    return failure;
  }

  private synchronized void leave(Reader who) {
    if (reader == who) {
      reader = null;
    }
  }

  private static final class Reader implements Subscription {
    private final RequestQueue queue;
    private final CoreSubscriber<? super KvRequest> actual;

    /** Begins as if somebody were at it: nothing is given before the subscription is. */
    private final AtomicInteger work = new AtomicInteger(1);

    private long demand;
    private volatile boolean over;
    private volatile @Nullable Throwable illegal;

    Reader(RequestQueue queue, CoreSubscriber<? super KvRequest> actual) {
      this.queue = queue;
      this.actual = actual;
    }

    @Override
    public void request(long n) {
      if (n <= 0) {
        illegal =
            new IllegalArgumentException("expected a request of 1 or more (rule 3.9), got " + n);
      } else {
        synchronized (this) {
          demand = Operators.addCap(demand, n);
        }
      }
      drain();
    }

    @Override
    public void cancel() {
      over = true;
      queue.leave(this);
    }

    private synchronized boolean isWanted() {
      return demand > 0;
    }

    private synchronized void wasGiven() {
      if (demand != Long.MAX_VALUE) {
        demand--;
      }
    }

    /** Gives what there is to whoever has asked for it; one thread at a time. */
    void drain() {
      if (work.getAndIncrement() == 0) {
        giveAll();
      }
    }

    private void giveAll() {
      int missed = 1;
      do {
        give();
        missed = work.addAndGet(-missed);
      } while (missed != 0);
    }

    private void give() {
      while (!over) {
        Throwable wrong = illegal;
        if (wrong != null) {
          end(wrong);
          return;
        }
        KvRequest next = isWanted() ? queue.poll(this) : null;
        if (next == null) {
          if (queue.isOver()) {
            end(queue.failure());
          }
          return;
        }
        boolean isOpen = next.isWanted();
        if (isOpen && over) {
          queue.putBack(next);
          return;
        }
        queue.left.left(next, isOpen);
        if (isOpen) {
          wasGiven();
          actual.onNext(next);
        }
      }
    }

    private void end(@Nullable Throwable reason) {
      over = true;
      queue.leave(this);
      Bulkhead.end(actual, reason);
    }
  }
}
