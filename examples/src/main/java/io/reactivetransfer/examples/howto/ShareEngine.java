package io.reactivetransfer.examples.howto;

import io.reactivetransfer.Imm;
import io.reactivetransfer.ImmLease;
import io.reactivetransfer.Message;
import io.reactivetransfer.MessageChannel;
import io.reactivetransfer.Peer;
import io.reactivetransfer.PeerGroup;
import io.reactivetransfer.Signal;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.engine.TransferEngineBuilder;
import java.nio.ByteBuffer;
import reactor.core.publisher.Mono;

/** Two libraries on one engine: with a channel, immediates and barriers of their own. */
public final class ShareEngine {

  /** Each side must mean the same by a name and a channel; 0 to 15 are the application's. */
  private record Library(String name, MessageChannel channel) {

    /** Asks where to signal, and signals; then both meet. */
    Mono<Void> origin(TransferEngine engine, Peer target) {
      Mono<Message> answer = engine.messages(channel).next();
      return engine
          .send(target, channel, ByteBuffer.allocate(0))
          .then(answer)
          .flatMap(message -> engine.submit(Signal.of(target, Imm.of(message.bytes().getInt()))))
          .then(engine.barrier(name, PeerGroup.of(target)));
    }

    /** Says a number that nobody else uses, and counts what comes under it. */
    Mono<Integer> target(TransferEngine engine) {
      return Mono.using(() -> engine.lease(), lease -> serve(engine, lease), ImmLease::close);
    }

    private Mono<Integer> serve(TransferEngine engine, ImmLease lease) {
      int number = lease.imm().value();
      ByteBuffer answer = ByteBuffer.allocate(Integer.BYTES).putInt(number).flip();
      return engine
          .messages(channel)
          .next()
          .flatMap(question ->
              engine
                  .send(question.sender(), channel, answer)
                  .then(lease.counter().boundTo(question.sender()).next(1))
                  .then(engine.barrier(name, PeerGroup.of(question.sender()))))
          .thenReturn(number);
    }
  }

  public static void main(String[] args) {
    TransferEngine origin = TransferEngineBuilder.create().backend("tcp").open().block();
    TransferEngine target = TransferEngineBuilder.create().backend("tcp").open().block();
    Library cache = new Library("cache", new MessageChannel(1));
    Library weights = new Library("weights", new MessageChannel(2));

    Peer peer = origin.peer(target.address());
    Mono<Boolean> different =
        Mono.zip(cache.target(target), weights.target(target), (one, other) -> !one.equals(other));
    Mono<Void> origins = Mono.when(cache.origin(origin, peer), weights.origin(origin, peer));
    if (!Mono.zip(different, origins.thenReturn(true)).block().getT1()) {
      throw new IllegalStateException("expected an immediate of its own for each library");
    }
    System.out.println(
        "cache and weights have both met their other half, over one engine on each side.");
    origin.close().then(target.close()).block();
  }
}
