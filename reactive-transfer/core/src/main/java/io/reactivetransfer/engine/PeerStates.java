package io.reactivetransfer.engine;

import io.reactivetransfer.PeerState;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Sinks;

/** Tells whoever wants to know what becomes of one peer. */
final class PeerStates {

  private final Sinks.Many<PeerState> sink = Sinks.many().replay().latest();
  private final Flux<PeerState> signals;
  private final PeerLink peer;
  private final Worker worker;
  private volatile PeerState present = new PeerState.Unknown();

  PeerStates(PeerLink peer, Worker worker) {
    this.peer = peer;
    this.worker = worker;
    sink.tryEmitNext(present);
    signals = sink.asFlux().onBackpressureLatest().publishOn(worker.signals(), 1);
  }

  /** While anyone is subscribed, the peer is wanted. */
  Flux<PeerState> flux() {
    return new Flux<>() {
      @Override
      public void subscribe(CoreSubscriber<? super PeerState> actual) {
        AdmissionTicket interest = new AdmissionTicket(() -> worker.execute(() -> peer.wanted(-1)));
        worker.execute(() -> {
          peer.wanted(1);
          if (worker.shutdown().isBegun()) {
            close(); // it was made after all others had ended
          }
        });
        signals.subscribe(new GuardedSubscriber<>(actual, interest::leave));
      }
    };
  }

  /** Nothing is known of it any more. */
  void forgotten() {
    if (!(present instanceof PeerState.Unknown)) {
      tell(new PeerState.Unknown());
    }
  }

  boolean isAlive() {
    return present instanceof PeerState.Alive;
  }

  /** On the worker, which is the only one to emit. */
  void tell(PeerState state) {
    present = state;
    try {
      sink.tryEmitNext(state);
    } catch (Throwable failure) {
      Signals.thrown(failure); // a subscriber's, where signals come on the worker
    }
  }

  void close() {
    try {
      sink.tryEmitComplete();
    } catch (Throwable failure) {
      Signals.thrown(failure);
    }
  }
}
