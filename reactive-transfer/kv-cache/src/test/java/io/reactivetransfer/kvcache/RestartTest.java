package io.reactivetransfer.kvcache;

import static io.reactivetransfer.kvcache.TestNode.MODEL;
import static io.reactivetransfer.kvcache.TestNode.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.reactivetransfer.Message;
import io.reactivetransfer.PageList;
import io.reactivetransfer.Peer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Nodes that go, come again, or stop to serve while nothing runs, or before they have answered. */
@ParameterizedClass
@ValueSource(strings = {"loopback", "tcp"})
class RestartTest {

  private static final KvLayout SMALL = KvLayout.opaque(2, 4, 64);
  private static final KvLayout LARGE = KvLayout.opaque(2, 8, 64);

  private final TestNode decodeNode;
  private final TestNode prefillNode;
  private KvDecode decode;

  RestartTest(String backend) {
    decodeNode = new TestNode(backend, LARGE);
    prefillNode = new TestNode(backend, SMALL);
  }

  @BeforeEach
  void open() {
    decode = decodeNode.decode();
  }

  @AfterEach
  void close() {
    prefillNode.close();
    decodeNode.close();
  }

  private CompletableFuture<Boolean> order(int pages) {
    KvOrder order =
        KvOrder.into(prefillNode.seenFrom(decodeNode), PageList.range(0, pages), () -> {})
            .tokens(pages)
            .deadline(PATIENCE)
            .build();
    return decode.receive(order, arrival -> Mono.just(true)).toFuture();
  }

  private Disposable serve(KvPrefill prefill) {
    return prefill
        .serve(
            1,
            request ->
                prefill.handOver(
                    request,
                    PageList.range(0, request.pages()),
                    Flux.range(0, 2).map(layer -> FinishedLayer.whole(layer, request))))
        .subscribe();
  }

  private static HandOverException.Reason reasonOf(CompletableFuture<?> failed) {
    await().atMost(PATIENCE).until(failed::isDone);
    return ((HandOverException) failed.exceptionNow()).reason();
  }

  @Test
  void aLayoutThatCannotBeMappedIsRefusedByTheNameOfItsNode() {
    KvLayout other = KvLayout.opaque(3, 4, 48);
    try (TestNode stranger = new TestNode(decodeNode.engine.backend(), other)) {
      KvCache.open(stranger.engine, "the third rack").prefill(MODEL, stranger.memory);
      KvOrder order =
          KvOrder.into(stranger.seenFrom(decodeNode), PageList.range(0, 1), () -> {})
              .deadline(PATIENCE)
              .build();
      CompletableFuture<?> refused = decode.receive(order, arrival -> Mono.just(true)).toFuture();
      assertThat(reasonOf(refused)).isEqualTo(HandOverException.Reason.REFUSED);
      assertThat(refused.exceptionNow()).hasMessageContaining("prefill the third rack (");
    }
  }

  /** Nobody hears of a loss of it then: what it has is asked for again. */
  @Test
  void aNodeThatAnsweredAnOrderThatHadEndedIsAskedAgain() {
    serve(prefillNode.prefill());
    Peer prefill = prefillNode.seenFrom(decodeNode);
    KvSource stale = decode.source(prefill).block(PATIENCE);
    assertThat(order(4).join()).isTrue();
    KvSource present = decode.source(prefill).block(PATIENCE);
    assertThat(present).isNotSameAs(stale);
    assertThat(decode.source(prefill).block(PATIENCE)).as("it is watched").isSameAs(present);
  }

  @Test
  void whatWasRegisteredForANodeThatIsLostWhileNothingRunsIsClosed() {
    long before = decodeNode.engine.stats().openRegions();
    serve(prefillNode.prefill());
    assertThat(order(4).join()).isTrue();
    decode.settled().block(PATIENCE);
    assertThat(decodeNode.engine.stats().openRegions()).isEqualTo(before + 1);

    prefillNode.engine.close().block(PATIENCE);
    await().atMost(PATIENCE).until(() -> decodeNode.engine.stats().openRegions() == before);
  }

  /** All that the one before it has begun has ended, and how is known yet. */
  @Test
  void whoWasOpenedAgainKnowsWhatTheOneBeforeItHasDone() throws Exception {
    serve(prefillNode.prefill());
    assertThat(order(4).join()).isTrue();
    long number = decodeNode.cache().ids.next() - 1;
    for (KvCache one : List.of(prefillNode.cache(), decodeNode.cache())) {
      one.dispose();
      one.closed().block(PATIENCE);
    }

    KvCache second = prefillNode.open(KvCacheOptions.defaults());
    KvMessage.End word = answerToCancel(number);
    assertThat(word.outcome()).isEqualTo(KvMessage.Outcome.NOT_RUNNING);
    assertThat(word.arrivals()).isEqualTo(8);
    assertThat(answerToCancel(number + 1).outcome()).isEqualTo(KvMessage.Outcome.CANCELLED);
    second.dispose();
  }

  private KvMessage.End answerToCancel(long id) throws Exception {
    CompletableFuture<Message> answer =
        decodeNode.engine.messages(KvInbox.ANSWERS).next().toFuture();
    decodeNode
        .engine
        .send(
            prefillNode.seenFrom(decodeNode),
            KvInbox.URGENT,
            KvCodec.encode(new KvMessage.Cancel(id)))
        .block(PATIENCE);
    return (KvMessage.End) KvCodec.decode(answer.get().bytes());
  }

  /** One that comes late must not be taken for that of another question. */
  @Test
  void questionsOfADecodeNodeThatWasOpenedAgainHaveNumbersOfTheirOwn() {
    List<Long> numbers = new CopyOnWriteArrayList<>();
    prefillNode
        .engine
        .messages(KvInbox.URGENT)
        .subscribe(message -> numbers.add(KvCodec.decode(message.bytes()).id()));
    KvCache opened = decodeNode.cache();
    for (int i = 1; i <= 3; i++) {
      Disposable question =
          opened
              .answers
              .description(opened, prefillNode.seenFrom(decodeNode), MODEL)
              .subscribe(layout -> {}, never -> {});
      int asked = i;
      await().atMost(PATIENCE).until(() -> numbers.size() == asked);
      question.dispose();
      opened.dispose();
      opened.closed().block(PATIENCE);
      opened = KvCache.open(decodeNode.engine);
    }
    assertThat(numbers).containsExactly(-1L, -2L, -3L);
  }

  /** Prefill drops what it has read already: an order of a number that was there would be lost. */
  @Test
  void ordersOfADecodeNodeThatWasOpenedAgainHaveNumbersOfTheirOwn() {
    KvPrefill prefill = prefillNode.prefill();
    List<Long> numbers = new CopyOnWriteArrayList<>();
    prefill
        .serve(
            1,
            request -> {
              numbers.add(request.id());
              return prefill.handOver(
                  request,
                  PageList.range(0, request.pages()),
                  Flux.range(0, 2).map(layer -> FinishedLayer.whole(layer, request)));
            })
        .subscribe();
    KvCache opened = decodeNode.cache();
    for (int i = 0; i < 3; i++) {
      assertThat(order(4).orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS).join()).isTrue();
      opened.dispose();
      opened.closed().block(PATIENCE);
      opened = KvCache.open(decodeNode.engine, "decode");
      decode = opened.decode(MODEL, decodeNode.memory);
    }
    assertThat(numbers).hasSize(3).isSorted().doesNotHaveDuplicates();
  }

  /** As many layers and pages, so the same counts, but in another order in memory. */
  @Test
  void aPrefillThatWasOpenedAgainWithAnotherLayoutRefusesWhatWasCountedForTheOldOne() {
    KvLayout turned =
        KvLayout.builder()
            .layers(2)
            .pages(4)
            .pageTokens(1)
            .part(KvPart.whole("kv", 64))
            .places((layer, part) -> new KvPlace(0, (1 - layer) * 256L, 64))
            .build();
    Disposable serving = serve(prefillNode.prefill());
    assertThat(order(4).join()).isTrue();
    serving.dispose();
    prefillNode.cache().dispose();
    prefillNode.cache().closed().block(PATIENCE);
    KvMemory memory = KvMemory.of(prefillNode.memory.regions().getFirst(), turned);
    serve(KvCache.open(prefillNode.engine, "again").prefill(MODEL, memory));
    prefillNode.fill(3);

    CompletableFuture<Boolean> old = order(4);
    assertThat(reasonOf(old)).isEqualTo(HandOverException.Reason.REFUSED);
    assertThat(old.exceptionNow())
        .hasMessageContaining("expected a request that was counted for the layouts of both sides")
        .hasMessageContaining("got one that was counted for others")
        .hasMessageContaining("order again, which asks for it anew. It is layers 0 to 1, 4 pages");

    assertThat(order(4).join()).isTrue();
    for (int layer = 0; layer < 2; layer++) {
      for (int page = 0; page < 4; page++) {
        // The fixture fills by the old layout: the new layer 0 lies where layer 1 was.
        assertThat(decodeNode.page(layer, page).mismatch(prefillNode.page(1 - layer, page)))
            .isEqualTo(-1);
      }
    }
  }

  @Test
  void moreThanPrefillHasPagesForIsRefused() {
    serve(prefillNode.prefill());
    CompletableFuture<Boolean> tooMuch = order(5);
    assertThat(reasonOf(tooMuch)).isEqualTo(HandOverException.Reason.REFUSED);
    assertThat(tooMuch.exceptionNow())
        .hasMessageContaining("expected tokens that fit into the 4 pages of this prefill node");
    assertThat(order(4).join()).isTrue();
  }

  @Test
  void whoStopsToServeRefusesWhatItHadTaken() {
    KvPrefill prefill = prefillNode.prefill();
    CompletableFuture<KvRequest> taken = new CompletableFuture<>();
    Disposable serving =
        prefill
            .serve(
                1,
                request -> {
                  taken.complete(request);
                  return Mono.never();
                })
            .subscribe();
    CompletableFuture<Boolean> order = order(4);
    taken.join();
    serving.dispose();
    assertThat(reasonOf(order)).isEqualTo(HandOverException.Reason.REFUSED);
  }

  @Test
  void memoryOfAnotherEngineIsNoNodes() {
    assertThatThrownBy(() -> decodeNode.cache().prefill(MODEL + " more", prefillNode.memory))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("expected KV memory that is registered with this node's engine");
    assertThatThrownBy(() -> decodeNode.cache().decode(MODEL, prefillNode.memory))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(prefillNode.engine.id().toShortString());
  }
}
