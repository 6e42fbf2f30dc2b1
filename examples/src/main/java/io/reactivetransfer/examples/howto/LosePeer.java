package io.reactivetransfer.examples.howto;

import io.reactivetransfer.Imm;
import io.reactivetransfer.Peer;
import io.reactivetransfer.PeerState;
import io.reactivetransfer.PeerUnreachableException;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.engine.TransferEngineBuilder;
import java.nio.ByteBuffer;
import reactor.core.publisher.Mono;

/** Who waits for a peer learns that it is gone: nobody waits for ever. */
public final class LosePeer {

  public static void main(String[] args) {
    TransferEngine origin = TransferEngineBuilder.create().backend("tcp").open().block();
    TransferEngine target = TransferEngineBuilder.create().backend("tcp").open().block();
    origin.send(origin.peer(target.address()), ByteBuffer.allocate(0)).block();
    Peer peer = target.messages().next().block().sender();

    // The origin ends before it has written anything. A process that is killed is lost as soon.
    Mono<Void> arrived = target.counter(Imm.of(1)).boundTo(peer).next(1);
    Mono<PeerState> lost = peer.state().filter(PeerState.Lost.class::isInstance).next();
    try {
      Mono.when(arrived, origin.close()).block();
      throw new IllegalStateException("expected a claim that fails with its peer, got an arrival");
    } catch (PeerUnreachableException e) {
      System.out.println("The claim has failed, since its peer is gone.");
    }
    if (lost.block().lossCause() == null) {
      throw new IllegalStateException("expected the reason of the loss");
    }
    System.out.println("The state of the peer says why.");
    Mono.whenDelayError(origin.close(), target.close()).block();
  }
}
