package io.reactivetransfer.kvcache;

import static io.reactivetransfer.kvcache.TestNode.KEPT;
import static io.reactivetransfer.kvcache.TestNode.MODEL;
import static io.reactivetransfer.kvcache.TestNode.PATIENCE;
import static io.reactivetransfer.kvcache.TestNode.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.reactivetransfer.PageList;
import io.reactivetransfer.engine.TransferEngineBuilder;
import io.reactivetransfer.loopback.LoopbackBackend;
import io.reactivetransfer.loopback.LoopbackNetwork;
import io.reactivetransfer.spi.Backend;
import io.reactivetransfer.spi.Operation;
import io.reactivetransfer.spi.PostResult;
import io.reactivetransfer.tck.ForwardingBackend;
import io.reactivetransfer.tck.ForwardingDomain;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.test.scheduler.VirtualTimeScheduler;

/** What of a hand-over computing did not hide, where time passes as the test says. */
class ExposedTest {

  private static final KvLayout LAYOUT = KvLayout.opaque(3, 8, 1_000);

  private final Backend network =
      new ForwardingBackend(
          LoopbackBackend.builder().network(new LoopbackNetwork()).build(),
          (domain, context) ->
              new ForwardingDomain(domain) {
                @Override
                public PostResult post(Operation operation) {
                  return busy ? PostResult.NIC_BUSY : super.post(operation);
                }
              });
  private final VirtualTimeScheduler time = VirtualTimeScheduler.create();
  private final ToldEvents told = new ToldEvents();
  private final TestNode decodeNode =
      new TestNode(TransferEngineBuilder.create().backend(network), LAYOUT);
  private final TestNode prefillNode =
      new TestNode(TransferEngineBuilder.create().backend(network), LAYOUT);
  private final KvDecode decode = decodeNode.decode();
  private final KvPrefill prefill =
      prefillNode
          .open(KvCacheOptions.builder().timers(time).recorder(told).build())
          .prefill(MODEL, prefillNode.memory);
  private volatile boolean busy;

  @AfterEach
  void close() {
    busy = false;
    prefillNode.close();
    decodeNode.close();
  }

  @Test
  void itBeginsWhenAllLayersAreFinished() {
    CompletableFuture<KvArrival> arrival =
        decode
            .receive(
                KvOrder.into(
                        prefillNode.seenFrom(decodeNode),
                        PageList.range(0, LAYOUT.pages()),
                        () -> {})
                    .build(),
                KEPT)
            .toFuture();
    KvRequest request = await(prefill.requests().next());
    Sinks.Many<FinishedLayer> layers = Sinks.many().unicast().onBackpressureBuffer();
    CompletableFuture<Void> written =
        prefill
            .handOver(request, PageList.range(0, LAYOUT.pages()), layers.asFlux())
            .then()
            .toFuture();
    layers.tryEmitNext(FinishedLayer.whole(0, request));
    layers.tryEmitNext(FinishedLayer.whole(1, request));
    await()
        .atMost(PATIENCE)
        .until(() -> decodeNode.engine.stats().arrivals() == 2L * LAYOUT.pages());
    time.advanceTimeBy(Duration.ofMillis(500)); // the last layer is computed
    busy = true;
    layers.tryEmitNext(FinishedLayer.whole(2, request));
    await().atMost(PATIENCE).until(() -> prefillNode.engine.stats().transfersInFlight() == 1);
    time.advanceTimeBy(Duration.ofMillis(7)); // what follows the last layer, such as a token
    layers.tryEmitComplete();
    time.advanceTimeBy(Duration.ofMillis(30));
    busy = false;
    Mono.fromFuture(written).block(PATIENCE);
    await(Mono.fromFuture(arrival)).release();

    assertThat(told.requests).hasSize(1);
    assertThat(told.requests.getFirst().exposed()).isEqualTo(Duration.ofMillis(30));
    assertThat(told.requests.getFirst().duration()).isEqualTo(Duration.ofMillis(537));
  }

  @Test
  void aTailAloneHasNothingToHideBehind() {
    CompletableFuture<KvArrival> arrival =
        decode
            .receive(
                KvOrder.tailOnly(
                        prefillNode.seenFrom(decodeNode),
                        decodeNode.tailRegion.slice(0, 64),
                        () -> {})
                    .build(),
                KEPT)
            .toFuture();
    KvRequest request = await(prefill.requests().next());
    prefill.handOver(request, prefillNode.tailRegion.slice(0, 64)).then().block(PATIENCE);
    await(Mono.fromFuture(arrival)).release();
    assertThat(told.requests)
        .singleElement()
        .matches(end -> end.failure() == null && end.exposed() == null && end.bytes() == 64);
  }
}
