package io.reactivetransfer.engine.target;

import io.reactivetransfer.engine.base.Admission;
import io.reactivetransfer.engine.base.AdmissionTicket;
import io.reactivetransfer.engine.base.Signals;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Mono;

/** One claim for each subscription, made on subscribe. */
final class ClaimMono extends Mono<Void> {

  private final ClaimTerms terms;
  private final long writes;

  ClaimMono(ClaimTerms terms, long writes) {
    this.terms = terms;
    this.writes = writes;
  }

  @Override
  public void subscribe(CoreSubscriber<? super Void> actual) {
    terms.claims().admission().serve(actual, ticket -> new Waiting(this, actual, ticket));
  }

  private static final class Waiting implements Admission.Guest, Claim.Listener {
    private final CoreSubscriber<? super Void> actual;
    private final Claim claim;
    private final AdmissionTicket ticket;

    Waiting(ClaimMono mono, CoreSubscriber<? super Void> actual, AdmissionTicket ticket) {
      this.actual = actual;
      this.ticket = ticket;
      this.claim = new Claim(mono.terms, mono.writes, this);
    }

    @Override
    public CoreSubscriber<? super Void> actual() {
      return actual;
    }

    @Override
    public boolean isOver() {
      return claim.isOver();
    }

    @Override
    public void begin() {
      claim.make();
    }

    @Override
    public void notBegun(Throwable reason) {
      claim.refuse(reason);
      claim.make(); // once more does no harm
    }

    @Override
    public void request(long n) {
      if (n <= 0) {
        claim.refuse(
            new IllegalArgumentException("expected a request of 1 or more (rule 3.9), got " + n));
      }
    }

    @Override
    public void cancel() {
      claim.cancel();
      ticket.leave();
    }

    @Override
    public void met() {
      ticket.leave();
      Signals.complete(actual);
    }

    @Override
    public void failed(Throwable reason) {
      ticket.leave();
      Signals.error(actual, reason);
    }
  }
}
