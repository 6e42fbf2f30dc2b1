package io.reactivetransfer.simulation.kvcache;

import io.reactivetransfer.Peer;
import io.reactivetransfer.kvcache.KvArrival;
import io.reactivetransfer.kvcache.KvDecode;
import io.reactivetransfer.kvcache.KvOrder;
import io.reactivetransfer.kvcache.KvRouter;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** What asks the nodes of a list, one after the other: a router, or who has got at one. */
interface Routing {

  /** A sound one, which asks so many nodes for one order at most. */
  static Routing of(KvDecode decode, Flux<List<Peer>> prefills, int attempts) {
    KvRouter router = KvRouter.open(decode, prefills, attempts);
    return new Routing() {
      @Override
      public Mono<Integer> receive(
          Duration deadline,
          Function<Peer, KvOrder.Builder> order,
          Function<KvArrival, Mono<Integer>> use) {
        return router.receive(deadline, order, use);
      }

      @Override
      public void dispose() {
        router.dispose();
      }
    };
  }

  /** Orders of one of them. */
  Mono<Integer> receive(
      Duration deadline,
      Function<Peer, KvOrder.Builder> order,
      Function<KvArrival, Mono<Integer>> use);

  /** Asks nobody any more. */
  void dispose();
}
