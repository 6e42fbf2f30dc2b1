package io.reactivetransfer.engine;

import java.util.List;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Operators;

/** One claim for each subscription, made on subscribe. */
final class ClaimMono extends Mono<Void> {

  private final Worker worker;
  private final int imm;
  private final long writes;
  private final List<PeerLink> bound;
  private final long patienceNanos;

  ClaimMono(Worker worker, int imm, long writes, List<PeerLink> bound, long patienceNanos) {
    this.worker = worker;
    this.imm = imm;
    this.writes = writes;
    this.bound = bound;
    this.patienceNanos = patienceNanos;
  }

  @Override
  public void subscribe(CoreSubscriber<? super Void> actual) {
    RuntimeException refusal = worker.admission().tryEnter();
    if (refusal != null) {
      Operators.error(actual, refusal);
      return;
    }
    Waiting waiting = new Waiting(this, actual);
    actual.onSubscribe(waiting);
    waiting.begin();
  }

  private static final class Waiting implements Subscription, Claim.Listener {
    private final Worker worker;
    private final CoreSubscriber<? super Void> actual;
    private final Claim claim;
    private final AdmissionTicket ticket;

    Waiting(ClaimMono mono, CoreSubscriber<? super Void> actual) {
      this.worker = mono.worker;
      this.actual = actual;
      this.ticket = new AdmissionTicket(worker.admission());
      this.claim = new Claim(worker, mono.imm, mono.writes, mono.bound, mono.patienceNanos, this);
    }

    void begin() {
      claim.make();
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
      actual.onComplete();
    }

    @Override
    public void failed(Throwable reason) {
      ticket.leave();
      actual.onError(reason);
    }
  }
}
