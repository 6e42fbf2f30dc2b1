package io.reactivetransfer.kvcache;

import static io.reactivetransfer.kvcache.TestNode.PATIENCE;
import static io.reactivetransfer.kvcache.TestNode.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import io.reactivetransfer.PageList;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.test.StepVerifier;

/** What a hand-over does, on whatever backend. */
abstract class HandOverContract {

  private static final KvLayout LAYOUT = new KvLayout(5, 24, 1_000);
  private static final int PAGES = 8;

  private TestNode decodeNode;
  private TestNode prefillNode;
  private PagePool pool;
  private KvDecode decode;
  private KvPrefill prefill;

  abstract String backend();

  @BeforeEach
  void open() {
    decodeNode = new TestNode(backend(), LAYOUT);
    prefillNode = new TestNode(backend(), new KvLayout(5, 40, 1_000));
    pool = PagePool.inOrder(PageList.of(IntStream.range(0, 24).map(i -> (i * 7) % 24).toArray()));
    decode = decodeNode.decode(pool);
    prefill = prefillNode.prefill();
    prefillNode.fill(1);
    prefillNode.tails.setString(0, "the tail");
  }

  @AfterEach
  void close() {
    decode.dispose();
    prefill.dispose();
    prefillNode.close();
    decodeNode.close();
  }

  private KvOrder order() {
    return order(PATIENCE);
  }

  private KvOrder order(Duration deadline) {
    return KvOrder.of(
        prefillNode.seenFrom(decodeNode), PAGES, decodeNode.tailRegion.slice(0, 100), deadline);
  }

  private static PageList sourcePages() {
    return PageList.of(IntStream.range(0, PAGES).map(i -> 39 - 3 * i).toArray());
  }

  private Flux<KvWritten> handOver(KvRequest request, Flux<FinishedLayer> layers) {
    return prefill.handOver(
        request, sourcePages(), layers, prefillNode.tailRegion.slice(0, request.tailBytes()));
  }

  private static Flux<FinishedLayer> allLayers(KvRequest request) {
    return Flux.range(0, LAYOUT.layers()).map(layer -> FinishedLayer.whole(layer, request));
  }

  private void requireArrived(KvArrival arrival) {
    for (int layer = 0; layer < LAYOUT.layers(); layer++) {
      for (int i = 0; i < PAGES; i++) {
        assertThat(
                decodeNode
                    .page(layer, arrival.pages().get(i))
                    .mismatch(prefillNode.page(layer, sourcePages().get(i))))
            .as("layer %d, position %d", layer, i)
            .isEqualTo(-1);
      }
    }
    assertThat(decodeNode.tails.getString(0)).isEqualTo("the tail");
  }

  private KvRequest nextRequest() {
    return await(prefill.requests().next());
  }

  @Test
  void everyPageArrivesInItsPlaceAndTheRestIsUntouched() {
    CompletableFuture<KvArrival> arrival = decode.receive(order()).toFuture();
    KvRequest request = nextRequest();
    assertThat(request.pages()).isEqualTo(PAGES);
    assertThat(request.decode().id()).isEqualTo(decodeNode.engine.id());

    List<KvWritten> written = await(handOver(request, allLayers(request)).collectList());

    assertThat(written).hasSize(LAYOUT.layers() + 1).contains(new KvWritten.Tail(100));
    assertThat(written).contains(new KvWritten.Pages(3, PAGES, 8_000));
    KvArrival arrived = await(Mono.fromFuture(arrival));
    assertThat(arrived.arrivals()).isEqualTo(LAYOUT.layers() * PAGES + 1);
    requireArrived(arrived);
    PageReservation spare = pool.reserve(16);
    for (int layer = 0; layer < LAYOUT.layers(); layer++) {
      for (int page : spare.pages().toArray()) {
        assertThat(decodeNode.page(layer, page).toArray(ValueLayout.JAVA_BYTE)).containsOnly(0);
      }
    }
    spare.release();
    arrived.release();
    assertThat(pool.free()).isEqualTo(24);
  }

  @Test
  void layersMayBeFinishedInChunksAndInAnyOrder() {
    CompletableFuture<KvArrival> arrival = decode.receive(order()).toFuture();
    KvRequest request = nextRequest();
    Flux<FinishedLayer> chunks =
        Flux.range(0, 2 * LAYOUT.layers())
            .map(i -> new FinishedLayer((i * 3) % 5, i < 5 ? 3 : 0, i < 5 ? 5 : 3));

    StepVerifier.create(handOver(request, chunks))
        .expectNextCount(11)
        .expectComplete()
        .verify(PATIENCE);

    requireArrived(await(Mono.fromFuture(arrival)));
  }

  @Test
  void theBodyIsCarried() {
    KvOrder order =
        new KvOrder(
            prefillNode.seenFrom(decodeNode),
            1,
            decodeNode.tailRegion.slice(0, 1),
            PATIENCE,
            StandardCharsets.UTF_8.encode("a prompt"));
    decode.receive(order).subscribe(arrived -> {}, failed -> {});
    assertThat(StandardCharsets.UTF_8.decode(nextRequest().body()).toString())
        .isEqualTo("a prompt");
  }

  @Test
  void threeHandOversAtOnceDoNotMix() {
    prefill.requests().flatMap(request -> handOver(request, allLayers(request))).subscribe();
    List<KvArrival> arrivals =
        await(Flux.range(0, 3).flatMap(i -> decode.receive(order())).collectList());
    assertThat(arrivals).hasSize(3).allSatisfy(this::requireArrived);
    assertThat(pool.free()).isZero();
    assertThatThrownBy(() -> await(decode.receive(order())))
        .isInstanceOf(PagesExhaustedException.class);
    arrivals.forEach(KvArrival::release);
    assertThat(await(decode.receive(order())).arrivals()).isEqualTo(41);
  }

  @Test
  void nothingHappensBeforeSubscription() {
    Mono<KvArrival> unused = decode.receive(order());
    assertThat(unused).isNotNull();
    assertThat(pool.free()).isEqualTo(24);
    CompletableFuture<KvArrival> arrival = decode.receive(order()).toFuture();
    KvRequest request = nextRequest();
    Flux<KvWritten> writes = handOver(request, allLayers(request));
    assertThat(decodeNode.engine.stats().arrivals()).isZero();
    await(writes.then(Mono.just(true)));
    assertThat(await(Mono.fromFuture(arrival)).requestId()).isEqualTo(request.id());
  }

  @Test
  void aRequestIsHandedOverOnce() {
    CompletableFuture<KvArrival> arrival = decode.receive(order()).toFuture();
    KvRequest request = nextRequest();
    Flux<KvWritten> writes = handOver(request, allLayers(request));
    await(writes.then(Mono.just(true)));
    assertThatThrownBy(() -> await(writes.collectList()))
        .isInstanceOf(HandOverException.class)
        .hasMessageContaining(decodeNode.engine.address().toString());
    await(Mono.fromFuture(arrival));
  }

  @Test
  void aRefusalNamesPrefillAndGivesThePagesBack() {
    CompletableFuture<KvArrival> arrival = decode.receive(order()).toFuture();
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
    try (TestNode other = new TestNode(backend(), new KvLayout(4, 24, 1_000))) {
      KvPrefill otherPrefill = other.prefill();
      KvOrder order =
          KvOrder.of(
              other.seenFrom(decodeNode), PAGES, decodeNode.tailRegion.slice(0, 100), PATIENCE);
      HandOverException failure = failureOf(decode.receive(order).toFuture());
      assertThat(failure.reason()).isEqualTo(HandOverException.Reason.REFUSED);
      assertThat(failure).hasMessageContaining("expected 4 layers of pages of 1000 bytes, got 5");
      requireSettled();
      otherPrefill.dispose();
    }
  }

  @Test
  void cancellingBeforeItIsServedWithdrawsTheRequest() {
    var subscription = decode.receive(order()).subscribe();
    KvRequest request = nextRequest();
    subscription.dispose();
    requireSettled();
    HandOverException failure = failureOf(handOver(request, allLayers(request)).then().toFuture());
    assertThat(failure.reason()).isEqualTo(HandOverException.Reason.CANCELLED);
    assertThat(decodeNode.engine.stats().arrivals()).isZero();
  }

  @Test
  void cancellingInTheMiddleStopsPrefillBeforeThePagesAreFree() {
    var subscription = decode.receive(order()).subscribe();
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
    CompletableFuture<KvArrival> arrival = decode.receive(order()).toFuture();
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
    CompletableFuture<KvArrival> arrival = decode.receive(order()).toFuture();
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
    CompletableFuture<KvArrival> arrival = decode.receive(order(Duration.ofMillis(300))).toFuture();
    KvRequest request = nextRequest();
    CompletableFuture<Void> writes =
        handOver(request, allLayers(request).take(1).concatWith(Flux.never())).then().toFuture();
    HandOverException atDecode = failureOf(arrival);
    assertThat(atDecode.reason()).isEqualTo(HandOverException.Reason.DEADLINE);
    assertThat(atDecode)
        .hasMessageContaining("prefill " + prefillNode.engine.address())
        .hasMessageContaining("expected 41 arrivals within PT0.3S");
    // Whichever of the two clocks was first.
    assertThat(failureOf(writes).reason())
        .isIn(HandOverException.Reason.DEADLINE, HandOverException.Reason.CANCELLED);
    requireSettled();
  }

  @Test
  void pagesMayNeitherMissNorComeTwice() {
    List<CompletableFuture<KvArrival>> arrivals =
        List.of(decode.receive(order()).toFuture(), decode.receive(order()).toFuture());
    List<KvRequest> requests = await(prefill.requests().take(2).collectList());
    KvRequest first = requests.get(0);
    assertThat(failureOf(handOver(first, allLayers(first).take(4)).then().toFuture()))
        .hasMessageContaining("got 8 too few, the first of them in layer 4");
    KvRequest second = requests.get(1);
    assertThat(failureOf(handOver(second, allLayers(second).repeat()).then().toFuture()))
        .hasMessageContaining("got page 0 of layer 0 again");
    for (CompletableFuture<KvArrival> arrival : arrivals) {
      assertThat(failureOf(arrival).reason()).isEqualTo(HandOverException.Reason.FAILED);
    }
    requireSettled();
  }

  @Test
  void aLostPrefillEndsDecodeAtOnceAndFreesThePages() {
    CompletableFuture<KvArrival> arrival = decode.receive(order()).toFuture();
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
    decode.receive(order()).subscribe(arrived -> {}, failed -> {});
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
    KvOrder order =
        new KvOrder(
            prefillNode.seenFrom(decodeNode),
            PAGES,
            decodeNode.tailRegion.slice(0, 1),
            PATIENCE,
            ByteBuffer.allocate(20_000));
    assertThat(failureOf(decode.receive(order).toFuture()))
        .hasMessageContaining("expected a request of at most 16384 bytes")
        .hasMessageContaining("maxMessageBytes");
    requireSettled();
  }

  @Test
  void badMessagesDisturbNobody() {
    CompletableFuture<KvArrival> arrival = decode.receive(order()).toFuture();
    for (String bad : List.of("RTK", "RTK\u0001garbage", "something else", "")) {
      ByteBuffer bytes = StandardCharsets.ISO_8859_1.encode(bad);
      await(
          decodeNode
              .engine
              .send(prefillNode.seenFrom(decodeNode), bytes.duplicate())
              .then(prefillNode.engine.send(decodeNode.seenFrom(prefillNode), bytes))
              .then(Mono.just(true)));
    }
    KvRequest request = nextRequest();
    handOver(request, allLayers(request)).subscribe();
    requireArrived(await(Mono.fromFuture(arrival)));
  }

  @Test
  void anEngineHasOneRole() {
    KvPrefill second = decodeNode.prefill();
    assertThatThrownBy(() -> await(second.requests().next()))
        .isInstanceOf(RuntimeException.class)
        .hasMessageContaining("subscriber");
    KvDecode third = prefillNode.decode(PagePool.of(40));
    await()
        .atMost(PATIENCE)
        .untilAsserted(() ->
            assertThatThrownBy(() -> await(third.receive(order())))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("messages cannot be read"));
  }

  private void requireSettled() {
    decode.settled().block(PATIENCE);
    assertThat(decode.held()).isZero();
    assertThat(pool.free()).isEqualTo(24);
  }

  private static HandOverException failureOf(CompletableFuture<?> future) {
    Throwable failure =
        catchThrowableOfType(
            HandOverException.class, () -> Mono.fromFuture(future).block(PATIENCE));
    assertThat(failure).isNotNull();
    return (HandOverException) failure;
  }
}
