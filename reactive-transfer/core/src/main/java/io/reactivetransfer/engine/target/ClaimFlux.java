package io.reactivetransfer.engine.target;

import io.reactivetransfer.engine.base.Admission;
import io.reactivetransfer.engine.base.AdmissionTicket;
import io.reactivetransfer.engine.base.Signals;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Operators;

/** One claim after the other, each made only when there is demand for its element. */
final class ClaimFlux extends Flux<Long> {

  private final ClaimTerms terms;
  private final Claims claims;
  private final long writes;

  ClaimFlux(ClaimTerms terms, long writes) {
    this.terms = terms;
    this.claims = terms.claims();
    this.writes = writes;
  }

  @Override
  public void subscribe(CoreSubscriber<? super Long> actual) {
    claims.admission().serve(actual, ticket -> new Rounds(this, actual, ticket));
  }

  /**
   * The rounds of one subscription. While demand is above zero, exactly one claim is out; its
   * outcome, on the signal scheduler, is the only place that emits.
   */
  private static final class Rounds implements Admission.Guest, Claim.Listener {
    private final ClaimFlux flux;
    private final CoreSubscriber<? super Long> actual;
    private final AdmissionTicket ticket;
    private final AtomicLong demand = new AtomicLong();
    private volatile @Nullable Claim claim;
    private volatile @Nullable Throwable misuse;
    private volatile boolean over;
    private long round;

    Rounds(ClaimFlux flux, CoreSubscriber<? super Long> actual, AdmissionTicket ticket) {
      this.flux = flux;
      this.actual = actual;
      this.ticket = ticket;
    }

    @Override
    public CoreSubscriber<? super Long> actual() {
      return actual;
    }

    @Override
    public boolean isOver() {
      return over;
    }

    @Override
    public void begin() {
      flux.claims.commands().execute(this::watchClose);
    }

    @Override
    public void notBegun(Throwable reason) {
      failWith(reason);
    }

    /**
     * Without demand no claim is out that could fail at close; so close makes one, for that alone.
     */
    private void watchClose() {
      if (!over) {
        flux.claims.closing().watch(this, () -> failWith(Admission.closedError()));
      }
    }

    private void failWith(Throwable reason) {
      if (misuse == null) {
        misuse = reason;
      }
      if (demand.getAndUpdate(n -> Operators.addCap(n, 1)) == 0) {
        makeClaim();
      }
      Claim current = claim;
      if (current != null) {
        current.refuse(reason);
      }
    }

    @Override
    public void request(long n) {
      if (n <= 0) {
        failWith(
            new IllegalArgumentException("expected a request of 1 or more (rule 3.9), got " + n));
      } else if (demand.getAndUpdate(m -> Operators.addCap(m, n)) == 0) {
        makeClaim();
      }
    }

    private void makeClaim() {
      if (over) {
        return;
      }
      Claim next = new Claim(flux.terms, flux.writes, this);
      claim = next;
      if (over) {
        return; // whoever has cancelled meanwhile saw the one before
      }
      Throwable wrong = misuse;
      if (wrong != null) {
        next.refuse(wrong); // before it is made, so that it is not met, and raises no word
      }
      next.make();
      Throwable late = misuse;
      if (late != null && wrong == null) {
        next.refuse(late);
      }
      if (over) {
        next.cancel();
      }
    }

    @Override
    public void cancel() {
      over = true;
      Claim current = claim;
      if (current != null) {
        current.cancel();
      }
      leave();
    }

    @Override
    public void met() {
      Throwable wrong = misuse;
      if (wrong != null) {
        flux.claims.commands().execute(() -> flux.terms.giveBack(flux.writes));
        failed(wrong);
        return;
      }
      try {
        actual.onNext(++round);
      } catch (Throwable failure) {
        Signals.thrownInNext(failure);
        failed(failure);
        return;
      }
      if (demand.updateAndGet(n -> n == Long.MAX_VALUE ? n : n - 1) > 0) {
        makeClaim();
      }
    }

    @Override
    public void failed(Throwable reason) {
      if (!over) {
        over = true;
        leave();
        Signals.error(actual, reason);
      }
    }

    private void leave() {
      ticket.leave();
      flux.claims.commands().execute(() -> flux.claims.closing().forget(this));
    }
  }
}
