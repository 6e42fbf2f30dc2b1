package io.reactivetransfer.kvcache;

import static io.reactivetransfer.kvcache.TestNode.KEPT;
import static io.reactivetransfer.kvcache.TestNode.PATIENCE;
import static io.reactivetransfer.kvcache.TestNode.await;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.reactivetransfer.Message;
import io.reactivetransfer.PageList;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.test.StepVerifier;

/** What arrives, on each backend. */
@ParameterizedClass
@ValueSource(strings = {"loopback", "tcp"})
class HandOverTest extends HandOverFixture {

  @Test
  void everyPageArrivesInItsPlaceAndTheRestIsUntouched() {
    CompletableFuture<KvArrival> arrival = decode.receive(order(), KEPT).toFuture();
    KvRequest request = nextRequest();
    assertThat(request.pages()).isEqualTo(PAGES);
    assertThat(request.decode().id()).isEqualTo(decodeNode.engine.id());

    List<KvWritten> written = await(handOver(request, allLayers(request)).collectList());

    assertThat(written).hasSize(LAYOUT.layers() + 1).contains(new KvWritten.Tail(100));
    assertThat(written).contains(new KvWritten.Layer(3, new KvSpan(0, PAGES), 8_000));
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
    requireSettled(); // when no NIC knows the tail any more
  }

  @Test
  void layersMayBeFinishedInChunksAndInAnyOrder() {
    CompletableFuture<KvArrival> arrival = decode.receive(order(), KEPT).toFuture();
    KvRequest request = nextRequest();
    Flux<FinishedLayer> chunks =
        Flux.range(0, 2 * LAYOUT.layers())
            .map(i -> new FinishedLayer((i * 3) % 5, i < 5 ? new KvSpan(3, 5) : new KvSpan(0, 3)));

    StepVerifier.create(handOver(request, chunks))
        .expectNextCount(11)
        .expectComplete()
        .verify(PATIENCE);

    requireArrived(await(Mono.fromFuture(arrival)));
  }

  @Test
  void theBodyIsCarried() {
    KvOrder order = ordered().body(StandardCharsets.UTF_8.encode("a prompt")).build();
    decode.receive(order, KEPT).subscribe(arrived -> {}, failed -> {});
    assertThat(StandardCharsets.UTF_8.decode(nextRequest().body()).toString())
        .isEqualTo("a prompt");
  }

  @Test
  void threeHandOversAtOnceDoNotMix() {
    prefill.requests().flatMap(request -> handOver(request, allLayers(request))).subscribe();
    List<KvArrival> arrivals =
        await(Flux.range(0, 3).flatMap(i -> decode.receive(order(), KEPT)).collectList());
    assertThat(arrivals).hasSize(3).allSatisfy(this::requireArrived);
    assertThat(pool.free()).isZero();
    assertThatThrownBy(this::order).isInstanceOf(PagesExhaustedException.class);
    arrivals.forEach(KvArrival::release);
    requireSettled();
    assertThat(await(decode.receive(order(), KEPT)).arrivals()).isEqualTo(41);
  }

  @Test
  void nothingHappensBeforeSubscription() {
    AtomicInteger quiet = new AtomicInteger();
    KvOrder order = KvOrder.into(peer(), PageList.of(1, 2), quiet::incrementAndGet).build();
    Mono<KvArrival> unused = decode.receive(order, KEPT);
    assertThat(unused).isNotNull();
    assertThat(decodeNode.engine.stats().pendingClaims()).isZero();
    assertThat(quiet).hasValue(0);
    CompletableFuture<KvArrival> arrival = decode.receive(order(), KEPT).toFuture();
    KvRequest request = nextRequest();
    Flux<KvWritten> writes = handOver(request, allLayers(request));
    assertThat(decodeNode.engine.stats().arrivals()).isZero();
    await(writes.then(Mono.just(true)));
    assertThat(await(Mono.fromFuture(arrival)).requestId()).isEqualTo(request.id());
  }

  @Test
  void anOrderThatIsMadeAtTheSubscriptionTakesNoPagesBefore() {
    prefill.requests().flatMap(request -> handOver(request, allLayers(request))).subscribe();
    Mono<Long> arrivals = decode.receive(this::order, arrival -> Mono.just(arrival.arrivals()));
    assertThat(pool.free()).isEqualTo(24);
    assertThat(await(arrivals)).isEqualTo(41);
    assertThat(await(arrivals)).isEqualTo(41);
    assertThat(pool.free()).isEqualTo(24);
    assertThatThrownBy(() -> await(decode.receive(() -> ordered().tokens(1).build(), KEPT)))
        .hasMessageContaining("expected 1 pages");
    assertThat(pool.free()).isEqualTo(24);
    assertThatThrownBy(() -> await(decode.receive(() -> null, KEPT)))
        .isInstanceOf(NullPointerException.class)
        .hasMessage("order");
  }

  @Test
  void aRequestIsHandedOverOnce() {
    CompletableFuture<KvArrival> arrival = decode.receive(order(), KEPT).toFuture();
    KvRequest request = nextRequest();
    Flux<KvWritten> writes = handOver(request, allLayers(request));
    await(writes.then(Mono.just(true)));
    assertThatThrownBy(() -> await(writes.collectList()))
        .isInstanceOf(HandOverException.class)
        .hasMessageContaining(decodeNode.engine.address().toString());
    await(Mono.fromFuture(arrival));
  }

  @Test
  void badMessagesDisturbNobody() {
    CompletableFuture<KvArrival> arrival = decode.receive(order(), KEPT).toFuture();
    for (String bad : List.of("RTK", "\u0002garbage", "something else", "")) {
      ByteBuffer bytes = StandardCharsets.ISO_8859_1.encode(bad);
      await(
          decodeNode
              .engine
              .send(prefillNode.seenFrom(decodeNode), KvInbox.REQUESTS, bytes.duplicate())
              .then(
                  decodeNode.engine.send(
                      prefillNode.seenFrom(decodeNode), KvInbox.URGENT, bytes.duplicate()))
              .then(
                  prefillNode.engine.send(decodeNode.seenFrom(prefillNode), KvInbox.ANSWERS, bytes))
              .then(Mono.just(true)));
    }
    KvRequest request = nextRequest();
    handOver(request, allLayers(request)).subscribe();
    requireArrived(await(Mono.fromFuture(arrival)));
  }

  @Test
  void anEngineIsBothAndTheApplicationHasItsOwnMessages() {
    List<String> told = new CopyOnWriteArrayList<>();
    decodeNode.engine.messages().subscribe(message -> told.add(text(message)));
    prefillNode.engine.messages().subscribe(message -> told.add(text(message)));
    KvPrefill back = decodeNode.prefill();
    PagePool other = PagePool.of(40);
    KvDecode there = prefillNode.decode();
    prefill.requests().flatMap(request -> handOver(request, allLayers(request))).subscribe();
    back.requests()
        .flatMap(request ->
            back.handOver(
                request,
                PageList.range(0, PAGES),
                allLayers(request),
                decodeNode.tailRegion.slice(0, request.tailBytes())))
        .subscribe();
    KvOrder orderBack =
        KvOrder.into(decodeNode.seenFrom(prefillNode), other.reserve(PAGES))
            .tail(prefillNode.tailRegion.slice(1_000, 100))
            .build();

    CompletableFuture<KvArrival> one = decode.receive(order(), KEPT).toFuture();
    CompletableFuture<KvArrival> two = there.receive(orderBack, KEPT).toFuture();
    await(
        decodeNode
            .engine
            .send(prefillNode.seenFrom(decodeNode), ByteBuffer.wrap("to prefill".getBytes(UTF_8)))
            .then(
                prefillNode.engine.send(
                    decodeNode.seenFrom(prefillNode), ByteBuffer.wrap("to decode".getBytes(UTF_8))))
            .then(Mono.just(true)));

    assertThat(await(Mono.fromFuture(one)).arrivals()).isEqualTo(LAYOUT.layers() * PAGES + 1);
    assertThat(await(Mono.fromFuture(two)).arrivals()).isEqualTo(LAYOUT.layers() * PAGES + 1);
    await()
        .atMost(PATIENCE)
        .untilAsserted(() -> assertThat(told).containsExactlyInAnyOrder("to prefill", "to decode"));
    back.dispose();
    there.dispose();
  }

  private static String text(Message message) {
    return UTF_8.decode(message.bytes()).toString();
  }

  @Test
  void aSecondSideOfAKindOnOneEngineSaysSo() {
    assertThatThrownBy(() -> prefillNode.prefill())
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("expected one KvPrefill of model a model on this node at a time");
    KvPrefill second =
        KvCache.open(prefillNode.engine).prefill("another model", prefillNode.memory);
    assertThatThrownBy(() -> await(second.requests().next()))
        .isInstanceOf(RuntimeException.class)
        .hasMessageContaining("subscriber");
    KvDecode third = KvCache.open(decodeNode.engine).decode(TestNode.MODEL, decodeNode.memory);
    await()
        .atMost(PATIENCE)
        .untilAsserted(() ->
            assertThatThrownBy(() -> await(third.receive(order(), KEPT)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("expected one KvCache on this engine")
                .hasMessageContaining("messages cannot be read"));
  }
}
