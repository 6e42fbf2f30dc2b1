package io.reactivetransfer.engine;

import io.reactivetransfer.PeerState;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Sinks;

/** Tells whoever wants to know what becomes of one peer. */
final class PeerStates {

  private final Sinks.Many<PeerState> sink = Sinks.many().replay().latest();
  private final Flux<PeerState> flux;
  private volatile PeerState present = new PeerState.Unknown();

  PeerStates(PeerLink peer, Worker worker) {
    sink.tryEmitNext(present);
    flux =
        Flux.defer(() -> {
          AdmissionTicket interest =
              new AdmissionTicket(() -> worker.execute(() -> peer.wanted(-1)));
          worker.execute(() -> {
            peer.wanted(1);
            if (worker.shutdown().isBegun()) {
              close(); // it was made after all others had ended
            }
          });
          return sink.asFlux()
              .onBackpressureLatest()
              .publishOn(worker.signals(), 1)
              .doFinally(end -> interest.leave());
        });
  }

  Flux<PeerState> flux() {
    return flux;
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
