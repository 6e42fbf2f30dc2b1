package io.reactivetransfer.kvcache;

import static io.reactivetransfer.kvcache.TestNode.KEPT;
import static io.reactivetransfer.kvcache.TestNode.PATIENCE;
import static io.reactivetransfer.kvcache.TestNode.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.reactivetransfer.EngineOptions;
import io.reactivetransfer.PageList;
import io.reactivetransfer.engine.TransferEngineBuilder;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/** Several prefill nodes that share an order, and several models on one node. */
@ParameterizedClass
@ValueSource(strings = {"loopback", "tcp"})
class SeveralNodesTest {

  private static final int LAYERS = 6;
  private static final int PAGE_TOKENS = 4;
  private static final KvLayout WHOLE = layout(0, LAYERS, 0, 4);

  @Parameter String backend;

  private final List<TestNode> nodes = new ArrayList<>();
  private TestNode decodeNode;
  private PagePool pool;
  private KvDecode decode;

  /** The share of one rank: keys and values, the tokens of a head together. */
  private static KvLayout layout(int firstLayer, int layers, int firstHead, int heads) {
    return KvLayout.builder()
        .firstLayer(firstLayer)
        .layers(layers)
        .pages(16)
        .pageTokens(PAGE_TOKENS)
        .part(KvPart.headMajor("k", firstHead, heads, 32, PAGE_TOKENS))
        .part(KvPart.headMajor("v", firstHead, heads, 32, PAGE_TOKENS))
        .build();
  }

  @BeforeEach
  void open() {
    decodeNode = node(WHOLE);
    decode = decodeNode.decode();
    pool = PagePool.of(16);
  }

  private TestNode node(KvLayout layout) {
    TestNode node = new TestNode(backend, layout);
    nodes.add(node);
    return node;
  }

  @AfterEach
  void close() {
    nodes.reversed().forEach(TestNode::close);
  }

  private KvOrder.Builder ordered(TestNode first) {
    return KvOrder.into(first.seenFrom(decodeNode), pool.reserve(3)).deadline(PATIENCE);
  }

  /** Serves with its pages 5, 6 and 7, layer by layer. */
  private static void serve(TestNode node) {
    KvPrefill prefill = node.prefill();
    prefill
        .serve(
            4,
            request -> {
              PageList pages = PageList.range(5, request.pages());
              Flux<FinishedLayer> layers =
                  Flux.range(node.layout.firstLayer(), node.layout.layers())
                      .map(layer -> FinishedLayer.whole(layer, request));
              return request.wantsTail()
                  ? prefill.handOver(
                      request, pages, layers, node.tailRegion.slice(0, request.tailBytes()))
                  : prefill.handOver(request, pages, layers);
            })
        .subscribe();
  }

  private void requireHeads(KvArrival arrival, TestNode source) {
    KvPart part = source.layout.parts().getFirst();
    long headBytes = (long) part.headBytes() * PAGE_TOKENS;
    for (int layer = source.layout.firstLayer(); layer < source.layout.endLayer(); layer++) {
      for (int which = 0; which < 2; which++) {
        for (int i = 0; i < 3; i++) {
          assertThat(
                  decodeNode
                      .page(layer, which, arrival.pages().get(i))
                      .asSlice(part.firstHead() * headBytes, part.heads() * headBytes)
                      .mismatch(source.page(layer, which, 5 + i)))
              .as("layer %d, part %d, page %d", layer, which, i)
              .isEqualTo(-1);
        }
      }
    }
  }

  @Test
  void ranksOfHeadsShareAnOrder() {
    TestNode low = node(layout(0, LAYERS, 0, 2));
    TestNode high = node(layout(0, LAYERS, 2, 2));
    low.fill(1);
    high.fill(99);
    low.tails.setString(0, "of the first");
    high.tails.setString(0, "of the second");
    serve(low);
    serve(high);
    List<Integer> layers = new ArrayList<>();
    KvOrder order =
        ordered(low)
            .from(high.seenFrom(decodeNode))
            .tail(decodeNode.tailRegion.slice(0, 50))
            .onLayer(layers::add)
            .build();
    KvArrival arrival = await(decode.receive(order, KEPT));
    assertThat(arrival.arrivals()).isEqualTo(2 * LAYERS * 2 * 3 + 1);
    assertThat(layers).containsExactlyInAnyOrder(0, 1, 2, 3, 4, 5);
    requireHeads(arrival, low);
    requireHeads(arrival, high);
    assertThat(decodeNode.tails.getString(0)).isEqualTo("of the first");
    arrival.release();
    await().atMost(PATIENCE).until(() -> pool.free() == 16); // when no NIC knows the tail
  }

  @Test
  void ranksOfLayersShareAnOrder() {
    TestNode first = node(layout(0, 2, 0, 4));
    TestNode second = node(layout(2, 4, 0, 4));
    first.fill(1);
    second.fill(50);
    serve(first);
    serve(second);
    KvOrder order = ordered(first).from(second.seenFrom(decodeNode)).build();
    KvArrival arrival = await(decode.receive(order, KEPT));
    requireHeads(arrival, first);
    requireHeads(arrival, second);
    arrival.release();
  }

  @Test
  void whatNoRankHasIsNamedBeforeAnythingIsAsked() {
    TestNode low = node(layout(0, LAYERS, 0, 2));
    low.prefill();
    HandOverException failure =
        HandOverFixture.failureOf(decode.receive(ordered(low).build(), KEPT).toFuture());
    assertThat(failure.reason()).isEqualTo(HandOverException.Reason.REFUSED);
    assertThat(failure).hasMessageContaining("head 2");
    assertThat(pool.free()).isEqualTo(16);
  }

  @Test
  void oneRankThatFailsEndsTheOrderAndStopsTheOthers() {
    TestNode low = node(layout(0, LAYERS, 0, 2));
    TestNode high = node(layout(0, LAYERS, 2, 2));
    KvPrefill slow = low.prefill();
    KvPrefill refuses = high.prefill();
    // Or the request to the other one might be withdrawn before it is sent.
    Sinks.Empty<Void> taken = Sinks.empty();
    refuses
        .serve(1, request -> taken.asMono().then(refuses.refuse(request, "out of pages")))
        .subscribe();
    KvOrder order = ordered(low).from(high.seenFrom(decodeNode)).build();
    CompletableFuture<KvArrival> arrival = decode.receive(order, KEPT).toFuture();
    KvRequest request = await(slow.requests().next());
    CompletableFuture<Void> ended = request.ended().toFuture();
    taken.tryEmitEmpty();
    HandOverException failure = HandOverFixture.failureOf(arrival);
    assertThat(failure).hasMessageContaining("out of pages");
    assertThat(failure.peer()).isEqualTo(high.seenFrom(decodeNode));
    await(Mono.fromFuture(ended).thenReturn(1));
    decode.settled().block(PATIENCE);
    await().atMost(PATIENCE).until(() -> pool.free() == 16);
  }

  @Test
  void bothRolesOfTwoModelsShareAnEngine() {
    TestNode other = node(WHOLE);
    KvLayout small = KvLayout.opaque(2, 8, 100);
    try (TestNode smallHere = new TestNode(backend, small);
        TestNode smallThere = new TestNode(backend, small)) {
      // The second model's memory, on the engines that have the first one's.
      KvMemory here = KvMemory.of(await(decodeNode.engine.register(smallHere.pages)), small);
      KvMemory there = KvMemory.of(await(other.engine.register(smallThere.pages)), small);
      other.fill(7);
      decodeNode.fill(8);
      smallThere.fill(9);
      serve(other);
      serve(decodeNode);
      KvPrefill second = other.cache().prefill("small", there);
      second
          .serve(
              1,
              request ->
                  second.handOver(
                      request,
                      PageList.of(2, 4),
                      Flux.range(0, 2).map(layer -> FinishedLayer.whole(layer, request))))
          .subscribe();
      KvDecode back = other.decode();
      KvDecode secondHere = decodeNode.cache().decode("small", here);
      PagePool poolThere = PagePool.of(PageList.of(9, 10, 11));

      CompletableFuture<KvArrival> one = decode.receive(ordered(other).build(), KEPT).toFuture();
      KvOrder orderBack = KvOrder.into(decodeNode.seenFrom(other), poolThere.reserve(3)).build();
      CompletableFuture<KvArrival> two = back.receive(orderBack, KEPT).toFuture();
      KvOrder orderSmall =
          KvOrder.into(other.seenFrom(decodeNode), PageList.of(7, 1), () -> {}).build();
      CompletableFuture<KvArrival> three = secondHere.receive(orderSmall, KEPT).toFuture();

      requireHeads(await(Mono.fromFuture(one)), other);
      assertThat(await(Mono.fromFuture(two)).arrivals()).isEqualTo(LAYERS * 2 * 3);
      assertThat(await(Mono.fromFuture(three)).arrivals()).isEqualTo(4);
      for (int layer = 0; layer < 2; layer++) {
        assertThat(smallHere.page(layer, 7).mismatch(smallThere.page(layer, 2))).isEqualTo(-1);
        assertThat(smallHere.page(layer, 1).mismatch(smallThere.page(layer, 4))).isEqualTo(-1);
      }
      decodeNode.engine.close().block(PATIENCE);
      other.engine.close().block(PATIENCE);
    }
  }

  /** Tokens 6 to 13: the second half of a page, one page, and half of another one. */
  @Test
  void whatIsHereAlreadyIsNotMoved() {
    KvLayout rows =
        KvLayout.contiguous(
            2, 16, PAGE_TOKENS, KvPart.tokenMajor("k", 0, 4, 8), KvPart.tokenMajor("v", 0, 4, 8));
    TestNode source = node(rows);
    TestNode target = node(rows);
    source.fill(1);
    serve(source);
    target.pages.fill((byte) 0x5a);
    KvOrder order =
        KvOrder.into(source.seenFrom(target), pool.reserve(3)).firstToken(6).tokens(8).build();
    KvArrival arrival = await(target.decode().receive(order, KEPT));
    assertThat(arrival.span()).isEqualTo(new KvSpan(6, 8));
    assertThat(arrival.arrivals()).isEqualTo(2 * 2 * 3);
    for (int token = 4; token < 16; token++) {
      int page = token / PAGE_TOKENS - 1;
      long at = 32L * (token % PAGE_TOKENS);
      var here = target.page(1, 1, arrival.pages().get(page)).asSlice(at, 32);
      var there = source.page(1, 1, 5 + page).asSlice(at, 32);
      boolean moved = token >= 6 && token < 14;
      assertThat(here.mismatch(there) == -1).as("token %d", token).isEqualTo(moved);
    }
    arrival.release();
  }

  @Test
  void pagesOfAPrefixMayBeWhole() {
    TestNode source = node(WHOLE);
    source.fill(1);
    serve(source);
    KvOrder order = ordered(source).firstToken(4).build();
    KvArrival arrival = await(decode.receive(order, KEPT));
    assertThat(arrival.span()).isEqualTo(new KvSpan(4, 12));
    requireHeads(arrival, source);
    arrival.release();
  }

  @Test
  void aFullHitMovesTheTailAlone() {
    TestNode source = node(WHOLE);
    source.tails.setString(0, "hidden state");
    KvPrefill prefill = source.prefill();
    prefill
        .serve(
            1,
            request -> {
              assertThat(request.pages()).isZero();
              assertThat(request.span().tokens()).isZero();
              return prefill.handOver(request, source.tailRegion.slice(0, 40));
            })
        .subscribe();
    List<String> told = new ArrayList<>();
    KvOrder order =
        KvOrder.tailOnly(
                source.seenFrom(decodeNode),
                decodeNode.tailRegion.slice(0, 40),
                () -> told.add("quiet"))
            .build();
    Long arrivals =
        await(
            decode.receive(
                order,
                come -> {
                  assertThat(come.pages()).isNull();
                  return Mono.fromCallable(() -> {
                    told.add(decodeNode.tails.getString(0));
                    return come.arrivals();
                  });
                }));
    assertThat(arrivals).isEqualTo(1);
    assertThat(told).containsExactly("hidden state", "quiet");
  }

  @Test
  void errorsNameNodes() {
    try (TestNode named =
        new TestNode(
            TransferEngineBuilder.create().backend(backend).options(EngineOptions.defaults()),
            WHOLE)) {
      KvCache cache = KvCache.open(named.engine, "prefill-7");
      KvPrefill prefill = cache.prefill(TestNode.MODEL, named.memory);
      prefill.serve(1, request -> prefill.refuse(request, "no pages")).subscribe();
      KvOrder order = ordered(named).build();
      assertThat(HandOverFixture.failureOf(decode.receive(order, KEPT).toFuture()))
          .hasMessageContaining("with prefill prefill-7 (" + named.engine.address() + "): ")
          .hasMessageContaining("no pages");
    }
  }

  @Test
  void nothingIsKeptOfNodesThatAreLost() {
    TestNode first = node(layout(0, 3, 0, 4));
    TestNode second = node(layout(3, 3, 0, 4));
    serve(first);
    serve(second);
    KvOrder order = ordered(first).from(second.seenFrom(decodeNode)).tokens(9).build();
    await(decode.receive(order, come -> Mono.just(1)));
    assertThat(decode.coversKept()).isEqualTo(1);
    second.engine.close().block(PATIENCE);
    await().atMost(PATIENCE).until(() -> decode.coversKept() == 0);
  }
}
