package io.reactivetransfer.engine.origin;

import io.reactivetransfer.Transfer;
import io.reactivetransfer.engine.base.Signals;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Operators;
import reactor.core.scheduler.Scheduler;

/**
 * What one stream emits: on the signal scheduler, which then asks upstream for more. Whatever has
 * ended stands in the {@link Window}.
 */
final class Emission<R> implements Runnable {

  private final Streams streams;
  private final StreamState state;
  private final Pull pull;
  private final Window window;
  private final Results<?, R> results;
  private final CoreSubscriber<? super R> downstream;
  private final Consumer<Throwable> misuse;
  private final Scheduler.Worker signals;
  private final AtomicInteger draining = new AtomicInteger();
  private final AtomicBoolean drainDue = new AtomicBoolean();
  private final AtomicInteger asking = new AtomicInteger();
  private boolean upstreamCancelled;
  private @Nullable Throwable thrown; // by downstream, which gets nothing more but this

  /**
   * Nothing yet.
   *
   * @param misuse told when downstream throws something
   */
  Emission(
      Streams streams,
      StreamState state,
      Pull pull,
      Window window,
      Results<?, R> results,
      CoreSubscriber<? super R> downstream,
      Consumer<Throwable> misuse) {
    this.streams = streams;
    this.state = state;
    this.pull = pull;
    this.window = window;
    this.results = results;
    this.downstream = downstream;
    this.misuse = misuse;
    this.signals = streams.signals().createWorker();
  }

  /** Upstream has refused; whoever knows it says so. */
  void neverBegan() {
    state.terminated = true;
    streams.admission().leave();
    signals.dispose();
  }

  /** They are not posted. What is done with them is a user's code: not on the NIC thread. */
  void discard(List<Transfer> dropped) {
    streams
        .signals()
        .signal(() -> Operators.onDiscardMultiple(dropped, downstream.currentContext()));
  }

  /**
   * Has the signal scheduler emit what there is, and ask for more. From any thread. As long as a
   * thread of it is within upstream's request, and may wait there for what is to be emitted,
   * another one is needed: two tries, because schedulers that hand out their threads in turn could
   * hand out that very one.
   */
  void drain() {
    if (state.terminated || draining.getAndIncrement() != 0) {
      return;
    }
    drainDue.set(true);
    try {
      if (asking.get() == 0) {
        signals.schedule(this);
      } else {
        streams.signals().schedule(this);
        streams.signals().schedule(this);
      }
    } catch (Throwable failure) {
      if (!state.terminated) {
        streams.signals().failed(failure);
        run();
      }
    }
  }

  @Override
  public void run() {
    if (!drainDue.compareAndSet(true, false)) {
      return; // another thread was faster
    }
    asking.incrementAndGet(); // before another thread may emit, see drain()
    int missed = 1;
    do {
      emit();
      missed = draining.addAndGet(-missed);
    } while (missed != 0);
    boolean all = state.failed || state.terminated || pull.ask();
    if (asking.decrementAndGet() == 0 && state.terminated) {
      signals.dispose(); // by the last one, because disposing interrupts
    }
    if (!all) {
      drain();
    }
  }

  private void emit() {
    boolean last = state.ended;
    emitDone();
    if (state.failed && !upstreamCancelled && !state.cancelled) {
      upstreamCancelled = true;
      if (!state.upstreamDone) {
        pull.cancel();
      }
    }
    if (last && !state.terminated) {
      terminate();
    }
  }

  private void emitDone() {
    Object ended;
    long count = 0;
    while ((ended = window.emit()) != null) {
      if (!state.cancelled && !state.terminated && thrown == null) {
        count++;
        try {
          downstream.onNext(results.of(ended));
        } catch (Throwable failure) {
          thrown = failure;
          Signals.thrownInNext(failure);
          misuse.accept(failure);
        }
      }
    }
    if (count > 0) {
      pull.emitted(count);
    }
  }

  private void terminate() {
    state.terminated = true;
    streams.admission().leave();
    if (state.cancelled) {
      return;
    }
    Throwable reason = thrown == null ? state.error : thrown;
    if (reason != null) {
      Signals.error(downstream, reason);
    } else {
      Signals.complete(downstream);
    }
  }
}
