package io.reactivetransfer.micrometer;

import static io.reactivetransfer.micrometer.MeteredCaches.LAYOUT;
import static io.reactivetransfer.micrometer.MeteredCaches.PAGES;
import static io.reactivetransfer.micrometer.MeteredEngines.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.PageList;
import io.reactivetransfer.Peer;
import io.reactivetransfer.kvcache.FinishedLayer;
import io.reactivetransfer.kvcache.KvArrival;
import io.reactivetransfer.kvcache.KvOrder;
import io.reactivetransfer.kvcache.KvRecorder;
import io.reactivetransfer.kvcache.KvRequest;
import io.reactivetransfer.kvcache.KvRouter;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/**
 * What Reactor's automatic context propagation has in the {@link ThreadLocal}s of what an
 * application gives to hand-overs, and of operators behind them.
 */
class KvThreadLocalsTest {

  private static final String DOWNSTREAM = "downstream";
  private static final String USE = "use";
  private static final String USED = "what use has returned";
  private static final String HANDLER = "handler";
  private static final String HANDLED = "what the handler has returned";
  private static final String LAYERS = "layers";

  @RegisterExtension final MeteredEngines engines = new MeteredEngines();
  @RegisterExtension final Propagation propagation = new Propagation();

  /** How an order is subscribed to. */
  private enum Receiving {
    RECEIVE {
      @Override
      Mono<String> of(MeteredCaches caches, KvThreadLocalsTest test) {
        return caches.decode.receive(caches.order(), test::use);
      }
    },
    RECEIVE_OF_A_SUPPLIER {
      @Override
      Mono<String> of(MeteredCaches caches, KvThreadLocalsTest test) {
        Supplier<KvOrder> order = caches::order;
        return caches.decode.receive(order, test::use);
      }
    },
    ROUTED {
      @Override
      Mono<String> of(MeteredCaches caches, KvThreadLocalsTest test) {
        Peer prefill = caches.decodeEngine.peer(caches.prefillEngine.address());
        KvRouter router = KvRouter.open(caches.decode, Flux.just(List.of(prefill)));
        return router.receive(
            PATIENCE, peer -> KvOrder.into(peer, PageList.range(0, PAGES), () -> {}), test::use);
      }
    };

    abstract Mono<String> of(MeteredCaches caches, KvThreadLocalsTest test);
  }

  private Mono<String> use(KvArrival arrived) {
    propagation.look(USE);
    return Mono.fromSupplier(() -> {
      propagation.look(USED);
      return "arrival " + arrived.requestId();
    });
  }

  private MeteredCaches caches() {
    return new MeteredCaches(engines, KvRecorder.NONE);
  }

  @ParameterizedTest
  @EnumSource
  void whatIsSetAtTheSubscriberOfAnOrderIsSeenWhereItsArrivalIsUsed(Receiving receiving) {
    MeteredCaches caches = caches();
    propagation.begin();
    CompletableFuture<?> end =
        propagation
            .looking(DOWNSTREAM, receiving.of(caches, this).flux())
            .then()
            .contextCapture()
            .toFuture();
    caches.handOver(caches.nextRequest());
    Mono.fromFuture(end).block(PATIENCE);
    propagation.requireSeenElsewhere(DOWNSTREAM);
    propagation.requireSeenElsewhere(USE);
    propagation.requireSeenElsewhere(USED);
  }

  /** Layers are there when somebody says so, on a thread that has nothing of the subscriber's. */
  @Test
  void whatIsSetAtTheSubscriberOfAHandOverIsSeenInItsLayersAndBehindIt() {
    MeteredCaches caches = caches();
    CompletableFuture<Void> order = caches.ordered();
    KvRequest request = caches.nextRequest();
    Sinks.Empty<Void> computed = Sinks.empty();
    Flux<FinishedLayer> layers = computed.asMono().thenMany(layers(request));
    propagation.begin();
    CompletableFuture<?> end =
        propagation
            .looking(DOWNSTREAM, caches.prefill.handOver(request, PageList.range(0, PAGES), layers))
            .then()
            .contextCapture()
            .toFuture();
    Thread.ofPlatform().start(computed::tryEmitEmpty);
    Mono.fromFuture(end).block(PATIENCE);
    Mono.fromFuture(order).block(PATIENCE);
    propagation.requireSeenElsewhere(DOWNSTREAM);
    propagation.requireSeenElsewhere(LAYERS);
    assertThat(propagation.count(LAYERS)).isEqualTo(LAYOUT.layers());
    propagation.looking(DOWNSTREAM, request.ended().flux()).then().block(PATIENCE);
    propagation.looking(DOWNSTREAM, request.quiet().flux()).then().block(PATIENCE);
    propagation.requireSeen(DOWNSTREAM);
  }

  private Flux<FinishedLayer> layers(KvRequest request) {
    return Flux.range(0, LAYOUT.layers())
        .map(layer -> {
          propagation.look(LAYERS);
          return FinishedLayer.whole(layer, request);
        });
  }

  @Test
  void whatIsSetAtTheSubscriberOfAServiceIsSeenInItsHandler() {
    MeteredCaches caches = caches();
    propagation.begin();
    caches
        .prefill
        .serve(
            1,
            request -> {
              propagation.look(HANDLER);
              return Mono.defer(() -> {
                propagation.look(HANDLED);
                return caches
                    .prefill
                    .handOver(request, PageList.range(0, PAGES), layers(request))
                    .then();
              });
            })
        .contextCapture()
        .subscribe();
    Mono.fromFuture(caches.ordered()).block(PATIENCE);
    propagation.requireSeenElsewhere(HANDLER);
    propagation.requireSeenElsewhere(HANDLED);
    propagation.requireSeenElsewhere(LAYERS);
  }

  @Test
  void whatIsSetAtTheReaderOfRequestsIsSeenBehindThem() {
    MeteredCaches caches = caches();
    propagation.begin();
    CompletableFuture<KvRequest> request =
        propagation
            .looking(DOWNSTREAM, caches.prefill.requests().take(1))
            .next()
            .contextCapture()
            .toFuture();
    CompletableFuture<Void> order = caches.ordered();
    caches.handOver(Mono.fromFuture(request).block(PATIENCE));
    Mono.fromFuture(order).block(PATIENCE);
    propagation.requireSeenElsewhere(DOWNSTREAM);
  }

  @Test
  void whatIsSetAtWhoeverWaitsForTheEndIsSeenBehindIt() {
    MeteredCaches caches = caches();
    propagation.begin();
    CompletableFuture<?> end =
        propagation
            .looking(DOWNSTREAM, caches.decodeCache.closed().flux())
            .then()
            .contextCapture()
            .toFuture();
    MeteredEngines.close(caches.decodeEngine);
    Mono.fromFuture(end).block(PATIENCE);
    propagation.requireSeenElsewhere(DOWNSTREAM);
  }
}
