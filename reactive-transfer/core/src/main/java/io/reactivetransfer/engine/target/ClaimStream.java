package io.reactivetransfer.engine.target;

import io.reactivetransfer.engine.base.Admission;
import io.reactivetransfer.engine.base.AdmissionTicket;
import io.reactivetransfer.engine.base.Signals;
import io.reactivetransfer.engine.base.Upstreams;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Operators;
import reactor.util.context.Context;

/** One claim after the other, each for what upstream says: one claim, which is made anew. */
final class ClaimStream<T> extends Flux<T> {

  private final ClaimTerms terms;
  private final Publisher<? extends T> elements;
  private final ToLongFunction<? super T> writes;

  ClaimStream(ClaimTerms terms, Publisher<? extends T> elements, ToLongFunction<? super T> writes) {
    this.terms = terms;
    this.elements = elements;
    this.writes = writes;
  }

  @Override
  public void subscribe(CoreSubscriber<? super T> actual) {
    terms.claims().admission().serve(actual, ticket -> new Rounds<>(this, actual, ticket));
  }

  /**
   * The rounds of one subscription. An element is out from when upstream has emitted it until
   * downstream has got it; upstream is asked for another one only then. The end comes on the signal
   * scheduler, too: by whoever brings the last element, or by itself if none is out.
   */
  private static final class Rounds<T>
      implements Admission.Guest, Claim.Listener, CoreSubscriber<T> {

    /** Bits of the state: an element is out; nothing comes from upstream any more. */
    private static final int OUT = 1;

    private static final int ENDED = 2;

    private final ClaimStream<T> stream;
    private final Claims claims;
    private final CoreSubscriber<? super T> actual;
    private final AdmissionTicket ticket;
    private final Claim claim;
    private final Operators.DeferredSubscription upstream = new Operators.DeferredSubscription();
    private final AtomicLong demand = new AtomicLong();
    private final AtomicInteger state = new AtomicInteger();

    /** The one that is out. Whoever takes it brings it downstream, or discards it. */
    private final AtomicReference<@Nullable T> element = new AtomicReference<>();

    /** Set by upstream's own signals, which come one after the other. */
    private boolean isUpstreamDone;

    private volatile @Nullable Throwable end;
    private volatile boolean over;

    /** Whether the immediate is held; the NIC thread's own. */
    private boolean isHolding;

    /** What is done when the lease of the immediate is closed; on the NIC thread. */
    private final Consumer<Throwable> ending = this::endFirst;

    Rounds(ClaimStream<T> stream, CoreSubscriber<? super T> actual, AdmissionTicket ticket) {
      this.stream = stream;
      this.claims = stream.terms.claims();
      this.actual = actual;
      this.ticket = ticket;
      this.claim = Claim.standing(stream.terms, this);
    }

    @Override
    public CoreSubscriber<? super T> actual() {
      return actual;
    }

    @Override
    public boolean isOver() {
      return over;
    }

    @Override
    public void begin() {
      claims.commands().execute(this::hold);
      Upstreams.withThreadLocals(stream.elements).subscribe(this);
    }

    @Override
    public void notBegun(Throwable reason) {
      fail(reason);
    }

    private void hold() {
      if (over) {
        return;
      }
      Throwable refusal = stream.terms.refusal();
      if (refusal != null) {
        endFirst(refusal);
        return;
      }
      isHolding = true;
      claims.imms().hold(claim.imm, ending);
      claims.closing().watch(this, () -> endFirst(Admission.closedError()));
    }

    // ---- upstream ----

    @Override
    public Context currentContext() {
      return actual.currentContext();
    }

    @Override
    public void onSubscribe(Subscription subscription) {
      try {
        upstream.set(subscription);
      } catch (Throwable thrown) { // it was asked for what was wanted already
        cancel(subscription);
        fail(thrown);
      }
    }

    /** What upstream throws then ends the stream: nobody else would hear of it. */
    private void askUpstream() {
      try {
        upstream.request(1);
      } catch (Throwable thrown) {
        fail(thrown);
      }
    }

    @Override
    public void onNext(T next) {
      if (next == null) {
        fail(new NullPointerException("expected an element (rule 2.13), got null"));
        return;
      }
      if (isUpstreamDone) {
        Operators.onNextDropped(next, currentContext());
        return;
      }
      int before = state.get();
      if (over || (before & ENDED) != 0) {
        discard(next); // upstream cannot have known yet
        return;
      }
      if (before != 0 || demand.get() == 0) {
        discard(next);
        fail(
            new IllegalStateException(
                "expected upstream to emit no more than it was asked for (rule 1.1), got one"
                    + " more"));
        return;
      }
      long count;
      try {
        count = stream.writes.applyAsLong(next);
        if (count < 0 || count > DefaultImmCounter.MAX_CLAIM) {
          throw new IllegalArgumentException(
              "expected a claim of 0 to "
                  + DefaultImmCounter.MAX_CLAIM
                  + " arrivals, got "
                  + count);
        }
      } catch (Throwable reason) {
        discard(next);
        fail(reason);
        return;
      }
      element.set(next);
      if ((state.getAndUpdate(bits -> bits | OUT) & ENDED) != 0) {
        discard(element.getAndSet(null));
        return; // whoever has ended it meanwhile says so
      }
      claim.again(count);
      if (over) {
        claim.cancel();
        discard(element.getAndSet(null));
      }
    }

    private void discard(@Nullable T undelivered) {
      if (undelivered != null) {
        Operators.onDiscard(undelivered, currentContext());
      }
    }

    @Override
    public void onError(Throwable reason) {
      if (isUpstreamDone) {
        Operators.onErrorDropped(reason, currentContext());
        return;
      }
      isUpstreamDone = true;
      fail(
          reason == null
              ? new NullPointerException("expected an error (rule 2.13), got null")
              : reason);
    }

    @Override
    public void onComplete() {
      isUpstreamDone = true;
      endWith(null);
    }

    // ---- downstream ----

    @Override
    public void request(long n) {
      if (n <= 0) {
        fail(new IllegalArgumentException("expected a request of 1 or more (rule 3.9), got " + n));
      } else if (demand.getAndUpdate(m -> Operators.addCap(m, n)) <= 0) {
        askUpstream(); // below 0 if upstream has emitted unasked
      }
    }

    @Override
    public void cancel() {
      over = true;
      claim.cancel(); // before what is foreign, and may take its time
      leave();
      cancelUpstream();
      discard(element.getAndSet(null));
    }

    /** What throws there must not keep the end from coming. */
    private void cancelUpstream() {
      cancel(upstream);
    }

    private static void cancel(Subscription foreign) {
      try {
        foreign.cancel();
      } catch (Throwable failure) {
        Signals.thrown(failure);
      }
    }

    // ---- what becomes of a claim; on the signal scheduler ----

    @Override
    public void met() {
      T next = element.getAndSet(null);
      if (over || next == null) {
        // Cancelled after the claim was met and told: nobody gets the element, nor what it counted.
        discard(next);
        claims.commands().execute(() -> stream.terms.giveBack(claim.writes));
        return;
      }
      try {
        actual.onNext(next);
      } catch (Throwable reason) {
        Signals.thrownInNext(reason);
        cancelUpstream();
        terminate(reason);
        return;
      }
      // In this order: until the demand is taken off, nobody else asks upstream for the next one.
      if ((state.getAndUpdate(bits -> bits & ~OUT) & ENDED) != 0) {
        terminate(end);
      } else if (demand.updateAndGet(n -> n == Long.MAX_VALUE ? n : n - 1) > 0) {
        askUpstream();
      }
    }

    @Override
    public void failed(Throwable reason) {
      discard(element.getAndSet(null));
      cancelUpstream();
      terminate(reason);
    }

    // ---- the end ----

    private void fail(Throwable reason) {
      cancelUpstream();
      endWith(reason);
    }

    /**
     * On the NIC thread, where nothing foreign is called: upstream is cancelled with the signal.
     */
    private void endFirst(Throwable reason) {
      endWith(reason);
      claims.signals().signal(this::cancelUpstream);
    }

    /** Only the first end counts. */
    private void endWith(@Nullable Throwable reason) {
      if (reason != null && end == null) {
        end = reason;
      }
      int before = state.getAndUpdate(bits -> bits | ENDED);
      if ((before & OUT) != 0) {
        if (reason != null) {
          claim.refuse(reason);
        }
      } else if ((before & ENDED) == 0) {
        claims.signals().signal(() -> terminate(end));
      }
    }

    private void terminate(@Nullable Throwable reason) {
      if (over) {
        return;
      }
      over = true;
      leave();
      if (reason == null) {
        Signals.complete(actual);
      } else {
        Signals.error(actual, reason);
      }
    }

    private void leave() {
      ticket.leave();
      claims.commands().execute(this::letGo);
    }

    private void letGo() {
      claims.closing().forget(this);
      if (isHolding) {
        isHolding = false;
        claims.imms().letGo(claim, ending);
      }
    }
  }
}
