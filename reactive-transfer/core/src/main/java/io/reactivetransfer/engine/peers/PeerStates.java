package io.reactivetransfer.engine.peers;

import io.reactivetransfer.PeerState;
import io.reactivetransfer.engine.base.AdmissionTicket;
import io.reactivetransfer.engine.base.Assembly;
import io.reactivetransfer.engine.base.Scanned;
import io.reactivetransfer.engine.base.Signals;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Operators;
import reactor.core.scheduler.Scheduler;

/** Tells whoever wants to know what becomes of one peer. */
final class PeerStates {

  private final PeerLink peer;
  private final Peers peers;

  /** Those who are told; the NIC thread's own. */
  private final Set<Told> subscribers = new LinkedHashSet<>();

  private volatile PeerState present = new PeerState.Unknown();

  PeerStates(PeerLink peer, Peers peers) {
    this.peer = peer;
    this.peers = peers;
  }

  /** While anyone is subscribed, the peer is wanted. */
  Flux<PeerState> flux() {
    return Assembly.of(
        new Flux<>() {
          @Override
          public void subscribe(CoreSubscriber<? super PeerState> actual) {
            Told told;
            try {
              told = new Told(PeerStates.this, actual);
            } catch (Throwable failure) {
              Operators.error(actual, failure);
              return;
            }
            peers.commands().execute(() -> add(told));
            told.begin();
          }
        });
  }

  private void add(Told told) {
    peer.wanted(1);
    subscribers.add(told);
    told.tell(present);
    if (peers.closing().isBegun()) {
      told.end(); // it came after all others had ended
    }
  }

  private void remove(Told told) {
    subscribers.remove(told);
    peer.wanted(-1);
  }

  /** Nothing is known of it any more. */
  void forgotten() {
    if (!(present instanceof PeerState.Unknown)) {
      tell(new PeerState.Unknown());
    }
  }

  PeerState present() {
    return present;
  }

  boolean isAlive() {
    return present instanceof PeerState.Alive;
  }

  /** On the NIC thread, which is the only one to tell. */
  void tell(PeerState state) {
    present = state;
    List.copyOf(subscribers).forEach(told -> told.tell(state));
  }

  void close() {
    List.copyOf(subscribers).forEach(Told::end);
  }

  /**
   * One subscriber. Of states that come faster than they are asked for, it gets the first and the
   * last one. What it has not asked for when the engine closes, it does not get, so that it ends.
   */
  private static final class Told implements Scanned, Runnable {
    private final CoreSubscriber<? super PeerState> actual;
    private final Scheduler.Worker signals;
    private final AdmissionTicket interest;
    private final AtomicLong demand = new AtomicLong();
    private final AtomicInteger draining = new AtomicInteger();

    /** Guarded by this, like the next one. */
    private @Nullable PeerState first;

    private @Nullable PeerState last;
    private volatile @Nullable PeerState latest;
    private volatile @Nullable Throwable misuse;
    private volatile boolean begun;
    private volatile boolean ended;
    private volatile boolean over;

    Told(PeerStates states, CoreSubscriber<? super PeerState> actual) {
      this.actual = actual;
      this.signals = states.peers.signals().createWorker();
      this.interest =
          new AdmissionTicket(() -> states.peers.commands().execute(() -> states.remove(this)));
      tell(states.present);
    }

    @Override
    public CoreSubscriber<? super PeerState> actual() {
      return actual;
    }

    @Override
    public boolean isOver() {
      return over;
    }

    void begin() {
      try {
        actual.onSubscribe(this);
      } catch (Throwable failure) {
        misuse = failure;
      }
      begun = true;
      drain();
    }

    /** Has it told, unless that is what it was told last. */
    void tell(PeerState state) {
      if (!state.equals(latest)) {
        latest = state;
        put(state);
        drain();
      }
    }

    private synchronized void put(PeerState state) {
      if (first == null) {
        first = state;
      } else {
        last = state;
      }
    }

    private synchronized @Nullable PeerState take() {
      PeerState next = first;
      first = last;
      last = null;
      return next;
    }

    void end() {
      ended = true;
      drain();
    }

    @Override
    public void request(long n) {
      if (n <= 0) {
        misuse =
            new IllegalArgumentException("expected a request of 1 or more (rule 3.9), got " + n);
      } else {
        demand.accumulateAndGet(n, Operators::addCap);
      }
      drain();
    }

    @Override
    public void cancel() {
      over = true;
      leave();
    }

    private void leave() {
      interest.leave();
      signals.dispose();
    }

    private void drain() {
      if (begun && !over && draining.getAndIncrement() == 0) {
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
        boolean last = ended;
        emit();
        Throwable wrong = misuse;
        if (!over && (last || wrong != null)) {
          over = true;
          if (wrong == null) {
            Signals.complete(actual);
          } else {
            Signals.error(actual, wrong);
          }
          leave();
        }
        missed = draining.addAndGet(-missed);
      } while (missed != 0);
    }

    private void emit() {
      PeerState next;
      while (!over && demand.get() > 0 && (next = take()) != null) {
        demand.updateAndGet(n -> n == Long.MAX_VALUE ? n : n - 1);
        try {
          actual.onNext(next);
        } catch (Throwable failure) {
          Signals.thrownInNext(failure);
          misuse = failure;
          return;
        }
      }
    }
  }
}
