package io.reactivetransfer.examples.howto;

import io.reactivetransfer.Peer;
import io.reactivetransfer.PeerGroup;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.engine.TransferEngineBuilder;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Three engines do five steps, and none begins one before all have ended the one before. */
public final class MeetAtBarrier {

  private static final int STEPS = 5;

  public static void main(String[] args) {
    List<TransferEngine> engines =
        Flux.range(0, 3)
            .flatMap(i -> TransferEngineBuilder.create().backend("tcp").open())
            .collectList()
            .block();
    AtomicInteger entered = new AtomicInteger();
    Flux.fromIterable(engines).flatMap(engine -> steps(engine, engines, entered)).then().block();
    System.out.println(engines.size() + " engines met " + STEPS + " times.");
    Flux.fromIterable(engines).flatMap(TransferEngine::close).then().block();
  }

  private static Mono<Void> steps(
      TransferEngine engine, List<TransferEngine> engines, AtomicInteger entered) {
    Stream<Peer> others =
        engines.stream()
            .filter(each -> !each.equals(engine))
            .map(each -> engine.peer(each.address()));
    PeerGroup group = new PeerGroup(others.toList());
    return Flux.range(1, STEPS)
        .concatMap(step ->
            Mono.fromRunnable(entered::incrementAndGet) // the work of the step
                .then(engine.barrier(group))
                .doOnSuccess(met -> {
                  if (entered.get() < step * engines.size()) {
                    throw new IllegalStateException("expected all to have ended step " + step);
                  }
                }))
        .then();
  }
}
