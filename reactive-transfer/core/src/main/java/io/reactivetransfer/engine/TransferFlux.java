package io.reactivetransfer.engine;

import io.reactivetransfer.Transfer;
import org.reactivestreams.Publisher;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Operators;

/** A stream of transfers to be submitted; each subscription is a {@link Submission} of its own. */
final class TransferFlux<T extends Transfer> extends Flux<T> {

  private final Worker worker;
  private final Publisher<T> transfers;
  private final int window;

  TransferFlux(Worker worker, Publisher<T> transfers, int window) {
    this.worker = worker;
    this.transfers = transfers;
    this.window = window;
  }

  @Override
  public void subscribe(CoreSubscriber<? super T> actual) {
    RuntimeException refusal = worker.admission().tryEnter();
    if (refusal != null) {
      Operators.error(actual, refusal);
    } else {
      transfers.subscribe(new Submission<>(worker, actual, window));
    }
  }
}
