package io.reactivetransfer.kvcache;

import static io.reactivetransfer.kvcache.TestNode.KEPT;
import static io.reactivetransfer.kvcache.TestNode.PATIENCE;
import static io.reactivetransfer.kvcache.TestNode.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.reactivetransfer.PageList;
import io.reactivetransfer.Peer;
import io.reactivetransfer.engine.TransferEngineBuilder;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import reactor.core.publisher.Flux;

/**
 * Hand-overs between nodes that hold different heads, layers and pages of a model: every byte of
 * the target's memory is compared with what the plain words of the layouts say.
 */
@ParameterizedClass
@EnumSource(
    value = Backends.class,
    names = {"LOOPBACK", "TCP", "ONE_ROW"})
class SlicedHandOverTest {

  private static final int LAYERS = 4;
  private static final int HEADS = 4;
  private static final int HEAD_BYTES = 24;

  /** It begins and ends inside of pages of either size. */
  private static final KvSpan SPAN = new KvSpan(71, 201);

  @Parameter Backends backend;

  private final List<TestNode> nodes = new ArrayList<>();
  private final Random random = new Random(14);
  private Supplier<TransferEngineBuilder> engines;

  /** How heads and tokens of a page are ordered. */
  private enum Order {
    BY_TOKEN,
    BY_HEAD
  }

  /** What one node has of the model. */
  private record Share(int firstLayer, int layers, int firstHead, int heads) {

    static final Share ALL = new Share(0, LAYERS, 0, HEADS);

    static Share ofHeads(int firstHead, int heads) {
      return new Share(0, LAYERS, firstHead, heads);
    }
  }

  /** Who has what on the two sides. */
  private record Ranks(String name, List<Share> prefills, List<Share> decodes) {
    @Override
    public String toString() {
      return name;
    }
  }

  /** One way in which the pages of the two sides differ. */
  private record Pages(int sourceTokens, Order sourceOrder, int targetTokens, Order targetOrder) {}

  private static final List<Ranks> RANKS =
      List.of(
          new Ranks(
              "TP 1 to TP 2",
              List.of(Share.ALL),
              List.of(Share.ofHeads(0, 2), Share.ofHeads(2, 2))),
          new Ranks(
              "TP 2 to TP 1",
              List.of(Share.ofHeads(0, 2), Share.ofHeads(2, 2)),
              List.of(Share.ALL)),
          new Ranks(
              "stages of which one is cut by heads",
              List.of(new Share(0, 1, 0, HEADS), new Share(1, 3, 2, 2), new Share(1, 3, 0, 2)),
              List.of(Share.ofHeads(0, 1), Share.ofHeads(1, 3))));

  static Stream<Arguments> cases() {
    List<Pages> pages =
        List.of(
            new Pages(16, Order.BY_TOKEN, 16, Order.BY_TOKEN),
            new Pages(64, Order.BY_TOKEN, 16, Order.BY_TOKEN),
            new Pages(16, Order.BY_TOKEN, 64, Order.BY_TOKEN),
            new Pages(64, Order.BY_HEAD, 16, Order.BY_HEAD),
            new Pages(16, Order.BY_HEAD, 64, Order.BY_TOKEN),
            new Pages(24, Order.BY_TOKEN, 16, Order.BY_HEAD));
    if (Integer.getInteger("reactivetransfer.rounds", 1) > 1) {
      return RANKS.stream().flatMap(ranks -> pages.stream().map(page -> Arguments.of(ranks, page)));
    }
    // In a usual build each pair of pages once, and each kind of ranks with two of them.
    return IntStream.range(0, pages.size())
        .mapToObj(i -> Arguments.of(RANKS.get(i % RANKS.size()), pages.get(i)));
  }

  @BeforeEach
  void open() {
    engines = backend.open();
  }

  @AfterEach
  void close() {
    nodes.reversed().forEach(TestNode::close);
  }

  private static KvLayout layout(Share share, int pageTokens, Order order) {
    KvLayout.Builder builder =
        KvLayout.builder()
            .firstLayer(share.firstLayer)
            .layers(share.layers)
            .pageTokens(pageTokens)
            .pages((int) SPAN.pages(pageTokens) + 3);
    for (String part : List.of("k", "v")) {
      builder.part(
          order == Order.BY_TOKEN
              ? KvPart.tokenMajor(part, share.firstHead, share.heads, HEAD_BYTES)
              : KvPart.headMajor(part, share.firstHead, share.heads, HEAD_BYTES, pageTokens));
    }
    return builder.build();
  }

  private TestNode node(KvLayout layout) {
    TestNode node = new TestNode(engines.get(), layout);
    nodes.add(node);
    return node;
  }

  private PageList pages(KvLayout layout) {
    List<Integer> all = new ArrayList<>(IntStream.range(0, layout.pages()).boxed().toList());
    Collections.shuffle(all, random);
    int needed = (int) SPAN.pages(layout.pageTokens());
    return PageList.of(all.stream().limit(needed).mapToInt(page -> page).toArray());
  }

  /** A node that serves what its share is of the model. */
  private TestNode prefill(KvLayout layout, List<KvLayout> targets) {
    TestNode node = node(layout);
    KvModel model = new KvModel(layout, SPAN, pages(layout));
    model.fill(targets);
    node.pages.copyFrom(MemorySegment.ofArray(model.regions[0]));
    KvPrefill prefill = node.prefill();
    prefill
        .serve(
            4,
            request -> {
              assertThat(request.span()).isEqualTo(SPAN);
              Flux<FinishedLayer> layers =
                  Flux.range(layout.firstLayer(), layout.layers())
                      .map(layer -> FinishedLayer.whole(layer, request));
              return prefill.handOver(request, model.pages, layers);
            })
        .subscribe();
    return node;
  }

  @ParameterizedTest(name = "{0}, {1}")
  @MethodSource("cases")
  void everyByteComesToItsPlaceAndNoOther(Ranks ranks, Pages pages) {
    List<KvLayout> sources =
        ranks.prefills.stream()
            .map(share -> layout(share, pages.sourceTokens, pages.sourceOrder))
            .toList();
    List<KvLayout> targets =
        ranks.decodes.stream()
            .map(share -> layout(share, pages.targetTokens, pages.targetOrder))
            .toList();
    List<TestNode> prefills = sources.stream().map(it -> prefill(it, targets)).toList();
    for (KvLayout target : targets) {
      receive(target, prefills, sources);
    }
  }

  private void receive(KvLayout layout, List<TestNode> prefills, List<KvLayout> sources) {
    TestNode node = node(layout);
    KvModel untouched = new KvModel(layout, SPAN, pages(layout));
    node.pages.copyFrom(MemorySegment.ofArray(untouched.regions[0]));
    // Only those that have something of it are asked.
    List<TestNode> asked =
        IntStream.range(0, prefills.size())
            .filter(i -> haveSomethingInCommon(sources.get(i), layout))
            .mapToObj(prefills::get)
            .toList();
    AtomicInteger quiet = new AtomicInteger();
    KvArrival arrival =
        await(
            node.decode()
                .receive(order(node, asked, untouched.pages, quiet::incrementAndGet), KEPT));
    KvModel expected = new KvModel(layout, SPAN, untouched.pages);
    expected.fill(sources);
    assertThat(node.pages.mismatch(MemorySegment.ofArray(expected.regions[0]))).isEqualTo(-1);
    assertThat(quiet).hasValue(0);
    arrival.release();
    assertThat(quiet).hasValue(1);
  }

  private static KvOrder order(
      TestNode node, List<TestNode> asked, PageList pages, Runnable whenQuiet) {
    List<Peer> peers = asked.stream().map(prefill -> prefill.seenFrom(node)).toList();
    KvOrder.Builder order =
        KvOrder.into(peers.getFirst(), pages, whenQuiet)
            .firstToken(SPAN.firstToken())
            .tokens(SPAN.tokens())
            .deadline(PATIENCE);
    if (peers.size() > 1) {
      order.from(peers.subList(1, peers.size()).toArray(Peer[]::new));
    }
    return order.build();
  }

  private static boolean haveSomethingInCommon(KvLayout source, KvLayout target) {
    KvPart from = source.parts().getFirst();
    KvPart to = target.parts().getFirst();
    return from.firstHead() < to.endHead() && to.firstHead() < from.endHead();
  }

  /** Over NICs of which nobody knows when a row has come. */
  @Test
  void whatCannotBeCountedIsRefusedWhenItIsOrderedAndWhatCanIsNot() {
    engines = Backends.SOURCE_FREE.open();
    KvLayout whole = layout(Share.ALL, 16, Order.BY_TOKEN);
    KvLayout half = layout(Share.ofHeads(2, 2), 16, Order.BY_TOKEN);
    TestNode prefill = prefill(whole, List.of(whole));
    TestNode node = node(half);
    AtomicInteger quiet = new AtomicInteger();
    KvOrder order = order(node, List.of(prefill), pages(half), quiet::incrementAndGet);
    HandOverException refused =
        HandOverFixture.failureOf(node.decode().receive(order, KEPT).toFuture());
    assertThat(refused.reason()).isEqualTo(HandOverException.Reason.REFUSED);
    assertThat(refused)
        .hasMessageContaining("16 rows of 48 bytes")
        .hasMessageContaining("SOURCE_FREE");
    await().atMost(PATIENCE).untilAsserted(() -> assertThat(quiet).hasValue(1));

    // The tokens of a head lie together: one row for each head.
    KvLayout byHead = layout(Share.ALL, 16, Order.BY_HEAD);
    receive(
        layout(Share.ofHeads(2, 2), 16, Order.BY_HEAD),
        List.of(prefill(byHead, List.of(byHead))),
        List.of(byHead));
  }
}
