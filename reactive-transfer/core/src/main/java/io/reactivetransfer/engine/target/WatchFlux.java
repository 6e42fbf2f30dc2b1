package io.reactivetransfer.engine.target;

import io.reactivetransfer.Change;
import io.reactivetransfer.Memory;
import io.reactivetransfer.engine.base.Admission;
import io.reactivetransfer.engine.base.AdmissionTicket;
import io.reactivetransfer.engine.base.Signals;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Operators;
import reactor.core.scheduler.Scheduler;

/** Watches a 64-bit word, once for each subscription: it is looked at in every turn. */
final class WatchFlux extends Flux<Change> {

  private final Watches watches;
  private final Memory word;

  WatchFlux(Watches watches, Memory word) {
    this.watches = watches;
    this.word = word;
  }

  @Override
  public void subscribe(CoreSubscriber<? super Change> actual) {
    watches
        .admission()
        .serve(actual, ticket -> new Watch(watches, watches.reader(word), actual, ticket));
  }

  /** One subscriber's view of the word. */
  static final class Watch implements Admission.Guest, Runnable {
    private final Watches watches;
    private final WatchedWord word;
    private final CoreSubscriber<? super Change> actual;
    private final Scheduler.Worker signals;
    private final AdmissionTicket ticket;
    private final AtomicLong demand = new AtomicLong();
    private final AtomicInteger draining = new AtomicInteger();
    private volatile long seen;
    private volatile @Nullable Throwable ending;
    private volatile boolean over;
    private long told;

    Watch(
        Watches watches,
        WatchedWord word,
        CoreSubscriber<? super Change> actual,
        AdmissionTicket ticket) {
      this.watches = watches;
      this.word = word;
      this.actual = actual;
      this.ticket = ticket;
      this.told = word.read();
      this.seen = told;
      this.signals = watches.signals().createWorker();
    }

    @Override
    public CoreSubscriber<? super Change> actual() {
      return actual;
    }

    @Override
    public boolean isOver() {
      return over;
    }

    @Override
    public void begin() {
      watches.commands().execute(() -> watches.add(this));
    }

    @Override
    public void notBegun(Throwable reason) {
      end(reason);
    }

    /** Looks; returns false when there is no need to look again. On the NIC thread. */
    boolean look() {
      if (over) {
        return false;
      }
      try {
        long now = word.read();
        if (now != seen) {
          seen = now;
          drain();
        }
        return true;
      } catch (IllegalStateException gone) {
        end(gone);
        return false;
      }
    }

    void end(Throwable reason) {
      ending = reason;
      drain();
    }

    @Override
    public void request(long n) {
      if (n <= 0) {
        end(new IllegalArgumentException("expected a request of 1 or more (rule 3.9), got " + n));
      } else {
        demand.accumulateAndGet(n, Operators::addCap);
        drain();
      }
    }

    @Override
    public void cancel() {
      over = true;
      leave();
    }

    private void leave() {
      ticket.leave();
      signals.dispose();
    }

    private void drain() {
      if (draining.getAndIncrement() == 0) {
        try {
          signals.schedule(this);
        } catch (Throwable e) {
          run(); // the scheduler is gone; the signal must not be
        }
      }
    }

    @Override
    public void run() {
      int missed = 1;
      do {
        long now = seen;
        if (!over && now != told && demand.get() > 0) {
          Change change = new Change(told, now);
          told = now;
          demand.updateAndGet(n -> n == Long.MAX_VALUE ? n : n - 1);
          try {
            actual.onNext(change);
          } catch (Throwable failure) {
            Signals.thrownInNext(failure);
            ending = failure;
          }
        }
        Throwable reason = ending;
        if (!over && reason != null) {
          over = true;
          leave();
          Signals.error(actual, reason);
        }
        missed = draining.addAndGet(-missed);
      } while (missed != 0);
    }
  }
}
