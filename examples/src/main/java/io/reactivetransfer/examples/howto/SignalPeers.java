package io.reactivetransfer.examples.howto;

import io.reactivetransfer.Imm;
import io.reactivetransfer.PeerGroup;
import io.reactivetransfer.Signal;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.engine.TransferEngineBuilder;
import reactor.core.publisher.Mono;

/** A count at each member of a group, without any bytes and without any memory. */
public final class SignalPeers {

  public static void main(String[] args) {
    TransferEngine origin = TransferEngineBuilder.create().backend("tcp").open().block();
    TransferEngine left = TransferEngineBuilder.create().backend("tcp").open().block();
    TransferEngine right = TransferEngineBuilder.create().backend("tcp").open().block();

    Imm go = Imm.of(1);
    PeerGroup both = PeerGroup.of(origin.peer(left.address()), origin.peer(right.address()));
    Mono<Void> heard = Mono.when(left.counter(go).next(1), right.counter(go).next(1));
    Mono.when(origin.submit(Signal.of(both, go)), heard).block();

    long more =
        Mono.zip(left.counter(go).discard(), right.counter(go).discard(), Long::sum).block();
    if (more != 0) {
      throw new IllegalStateException("expected one signal for each, got " + more + " more");
    }
    System.out.println("Both members of the group were signalled once.");
    Mono.whenDelayError(origin.close(), left.close(), right.close()).block();
  }
}
