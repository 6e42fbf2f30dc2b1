package io.reactivetransfer.kvcache;

import static io.reactivetransfer.kvcache.TestNode.KEPT;
import static io.reactivetransfer.kvcache.TestNode.PATIENCE;
import static io.reactivetransfer.kvcache.TestNode.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.reactivetransfer.EngineOptions;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.test.StepVerifier;

/** How a hand-over ends early. */
@ParameterizedClass
@MethodSource("carriers")
class HandOverEndsTest extends HandOverFixture {

  @Test
  void aRefusalNamesPrefillAndGivesThePagesBack() {
    CompletableFuture<KvArrival> arrival = decode.receive(order(), KEPT).toFuture();
    await(prefill.refuse(nextRequest(), "no such model").then(Mono.just(true)));
    HandOverException failure = failureOf(arrival);
    assertThat(failure.reason()).isEqualTo(HandOverException.Reason.REFUSED);
    assertThat(failure)
        .hasMessageContaining("no such model")
        .hasMessageContaining(prefillNode.engine.address().toString());
    requireSettled();
  }

  @Test
  void anotherLayoutIsRefusedWithoutAskingTheApplication() {
    try (TestNode other = new TestNode(backend, KvLayout.opaque(4, 24, 1_000));
        TestNode larger = new TestNode(backend, KvLayout.opaque(5, 24, 1_001))) {
      other.prefill();
      larger.prefill();
      HandOverException failure = failureOf(decode.receive(orderFrom(other), KEPT).toFuture());
      assertThat(failure.reason()).isEqualTo(HandOverException.Reason.REFUSED);
      assertThat(failure).hasMessageContaining("layer 4");
      failure = failureOf(decode.receive(orderFrom(larger), KEPT).toFuture());
      assertThat(failure.reason()).isEqualTo(HandOverException.Reason.REFUSED);
      assertThat(failure).hasMessageContaining("expected heads of 1000 bytes");
      requireSettled();
    }
  }

  private KvOrder orderFrom(TestNode prefill) {
    return KvOrder.into(prefill.seenFrom(decodeNode), pool.reserve(PAGES)).build();
  }

  @Test
  void anotherModelIsRefusedWithThoseThatAreThere() {
    KvDecode other = decodeNode.cache().decode("another one", decodeNode.memory);
    HandOverException failure = failureOf(other.receive(order(), KEPT).toFuture());
    assertThat(failure.reason()).isEqualTo(HandOverException.Reason.REFUSED);
    assertThat(failure)
        .hasMessageContaining(
            "expected one of the models of node "
                + prefillNode.engine.address()
                + " (a model), got another one");
    other.settled().block(PATIENCE);
    requireSettled();
  }

  @Test
  void cancellingBeforeItIsServedWithdrawsTheRequest() {
    var subscription = decode.receive(order(), KEPT).subscribe();
    KvRequest request = nextRequest();
    subscription.dispose();
    requireSettled();
    HandOverException failure = failureOf(handOver(request, allLayers(request)).then().toFuture());
    assertThat(failure.reason()).isEqualTo(HandOverException.Reason.CANCELLED);
    assertThat(decodeNode.engine.stats().arrivals()).isZero();
  }

  @Test
  void cancellingInTheMiddleStopsPrefillBeforeThePagesAreFree() {
    var subscription = decode.receive(order(), KEPT).subscribe();
    KvRequest request = nextRequest();
    Sinks.Many<FinishedLayer> layers = Sinks.many().unicast().onBackpressureBuffer();
    CompletableFuture<Void> writes = handOver(request, layers.asFlux()).then().toFuture();
    layers.tryEmitNext(FinishedLayer.whole(0, request));
    await().atMost(PATIENCE).until(() -> decodeNode.engine.stats().arrivals() >= PAGES);

    subscription.dispose();

    HandOverException failure = failureOf(writes);
    assertThat(failure.reason()).isEqualTo(HandOverException.Reason.CANCELLED);
    assertThat(failure)
        .hasMessageContaining("decode " + decodeNode.engine.address())
        .hasMessageContaining("decode cancelled it");
    requireSettled();
    assertThat(layers.tryEmitNext(FinishedLayer.whole(1, request)).isFailure()).isTrue();
  }

  @Test
  void aFailureOfTheModelIsToldToDecode() {
    CompletableFuture<KvArrival> arrival = decode.receive(order(), KEPT).toFuture();
    KvRequest request = nextRequest();
    Flux<FinishedLayer> failing =
        allLayers(request)
            .take(2)
            .concatWith(Flux.error(new IllegalStateException("out of memory")));
    HandOverException atPrefill = failureOf(handOver(request, failing).then().toFuture());
    assertThat(atPrefill).hasMessageContaining("out of memory").hasMessageContaining("decode");
    assertThat(atPrefill).hasCauseInstanceOf(IllegalStateException.class);
    HandOverException atDecode = failureOf(arrival);
    assertThat(atDecode.reason()).isEqualTo(HandOverException.Reason.FAILED);
    assertThat(atDecode).hasMessageContaining("out of memory");
    requireSettled();
  }

  @Test
  void cancellingAtPrefillIsToldToDecode() {
    CompletableFuture<KvArrival> arrival = decode.receive(order(), KEPT).toFuture();
    KvRequest request = nextRequest();
    StepVerifier.create(handOver(request, allLayers(request).take(2).concatWith(Flux.never())))
        .expectNextCount(2)
        .thenCancel()
        .verify(PATIENCE);
    HandOverException failure = failureOf(arrival);
    assertThat(failure.reason()).isEqualTo(HandOverException.Reason.CANCELLED);
    assertThat(failure).hasMessageContaining("prefill cancelled it");
    requireSettled();
  }

  @Test
  void theDeadlineEndsBothSides() {
    CompletableFuture<KvArrival> arrival =
        decode.receive(order(Duration.ofSeconds(10)), KEPT).toFuture();
    KvRequest request = nextRequest();
    CompletableFuture<Void> writes = handOver(request, Flux.never()).then().toFuture();
    HandOverException atDecode = failureOf(arrival);
    assertThat(atDecode.reason()).isEqualTo(HandOverException.Reason.DEADLINE);
    assertThat(atDecode).hasMessageContaining("prefill " + prefillNode.engine.address());
    // Whichever of the two clocks was first, here as below.
    assertThat(atDecode.getMessage())
        .containsAnyOf(
            "expected 41 arrivals within PT10S, none came", "prefill ended it (DEADLINE)");
    assertThat(failureOf(writes).reason())
        .isIn(HandOverException.Reason.DEADLINE, HandOverException.Reason.CANCELLED);
    requireSettled();
  }

  /** Four of five layers are missing, and none comes: there is no use in waiting for 20 s. */
  @Test
  void whatCannotBeInTimeAtItsRateEndsEarly() {
    CompletableFuture<KvArrival> arrival =
        decode.receive(order(Duration.ofSeconds(20)), KEPT).toFuture();
    KvRequest request = nextRequest();
    CompletableFuture<Void> writes =
        handOver(request, allLayers(request).take(1).concatWith(Flux.never())).then().toFuture();
    HandOverException atDecode = failureOf(arrival);
    assertThat(atDecode.reason()).isEqualTo(HandOverException.Reason.INFEASIBLE);
    assertThat(atDecode).hasMessageContaining("got a rate at which it takes some");
    assertThat(failureOf(writes).reason()).isEqualTo(HandOverException.Reason.CANCELLED);
    requireSettled();
  }

  @Test
  void pagesMayNeitherMissNorComeTwice() {
    List<CompletableFuture<KvArrival>> arrivals =
        List.of(decode.receive(order(), KEPT).toFuture(), decode.receive(order(), KEPT).toFuture());
    List<KvRequest> requests = await(prefill.requests().take(2).collectList());
    KvRequest first = requests.get(0);
    assertThat(failureOf(handOver(first, allLayers(first).take(4)).then().toFuture()))
        .hasMessageContaining("got 8 too few, the first of them in layer 4");
    KvRequest second = requests.get(1);
    assertThat(failureOf(handOver(second, allLayers(second).repeat()).then().toFuture()))
        .hasMessageContaining("got token 0 of layer 0 again");
    for (CompletableFuture<KvArrival> arrival : arrivals) {
      assertThat(failureOf(arrival).reason()).isEqualTo(HandOverException.Reason.FAILED);
    }
    requireSettled();
  }

  @Test
  void aLostPrefillEndsDecodeAtOnceAndFreesThePages() {
    CompletableFuture<KvArrival> arrival = decode.receive(order(), KEPT).toFuture();
    KvRequest request = nextRequest();
    Sinks.Many<FinishedLayer> layers = Sinks.many().unicast().onBackpressureBuffer();
    handOver(request, layers.asFlux()).subscribe(written -> {}, failed -> {});
    layers.tryEmitNext(FinishedLayer.whole(0, request));
    await().atMost(PATIENCE).until(() -> decodeNode.engine.stats().arrivals() >= PAGES);

    prefillNode.engine.close().block(PATIENCE);

    HandOverException failure = failureOf(arrival);
    assertThat(failure).hasMessageContaining("prefill " + prefillNode.engine.address());
    assertThat(failure.reason())
        .isIn(HandOverException.Reason.PEER_LOST, HandOverException.Reason.FAILED);
    requireSettled();
  }

  @Test
  void aLostDecodeEndsPrefill() {
    decode.receive(order(), KEPT).subscribe(arrived -> {}, failed -> {});
    KvRequest request = nextRequest();
    Sinks.Many<FinishedLayer> layers = Sinks.many().unicast().onBackpressureBuffer();
    CompletableFuture<Void> writes = handOver(request, layers.asFlux()).then().toFuture();
    layers.tryEmitNext(FinishedLayer.whole(0, request));
    await().atMost(PATIENCE).until(() -> decodeNode.engine.stats().arrivals() >= PAGES);

    decodeNode.engine.close().block(PATIENCE);
    for (int layer = 1; layer < LAYOUT.layers(); layer++) {
      layers.tryEmitNext(FinishedLayer.whole(layer, request));
    }
    layers.tryEmitComplete();

    assertThat(failureOf(writes)).hasMessageContaining("decode " + decodeNode.engine.address());
  }

  @Test
  void aRequestThatFitsNoMessageIsAClearErrorAndCostsNothing() {
    EngineOptions shortMessages = EngineOptions.builder().maxMessageBytes(16_384).build();
    try (TestNode node = new TestNode(backend, LAYOUT, shortMessages)) {
      KvDecode other = node.decode();
      KvOrder order =
          KvOrder.into(prefillNode.seenFrom(node), pool.reserve(PAGES))
              .body(ByteBuffer.allocate(20_000))
              .build();
      assertThat(failureOf(other.receive(order, KEPT).toFuture()))
          .hasMessageContaining("expected a request of at most 16384 bytes")
          .hasMessageContaining("maxMessageBytes");
      other.settled().block(PATIENCE);
    }
    requireSettled();
  }
}
