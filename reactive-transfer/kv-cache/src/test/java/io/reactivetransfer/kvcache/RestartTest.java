package io.reactivetransfer.kvcache;

import static io.reactivetransfer.kvcache.TestNode.MODEL;
import static io.reactivetransfer.kvcache.TestNode.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.reactivetransfer.Message;
import io.reactivetransfer.PageList;
import java.util.concurrent.CompletableFuture;
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
  void whatWasRegisteredForANodeThatIsLostWhileNothingRunsIsClosed() {
    long before = decodeNode.engine.stats().openRegions();
    serve(prefillNode.prefill());
    assertThat(order(4).join()).isTrue();
    decode.settled().block(PATIENCE);
    assertThat(decodeNode.engine.stats().openRegions()).isEqualTo(before + 1);

    prefillNode.engine.close().block(PATIENCE);
    await().atMost(PATIENCE).until(() -> decodeNode.engine.stats().openRegions() == before);
  }

  /** What the one before it had posted may still be on its way. */
  @Test
  void whoWasOpenedAgainVouchesForNothingThatItDoesNotKnow() throws Exception {
    KvCache first = KvCache.open(prefillNode.engine);
    assertThat(answerToCancel(1).outcome()).isEqualTo(KvMessage.Outcome.CANCELLED);
    first.dispose();
    first.closed().block(PATIENCE);

    KvCache second = KvCache.open(prefillNode.engine);
    KvMessage.End word = answerToCancel(2);
    assertThat(word.outcome()).isEqualTo(KvMessage.Outcome.NOT_RUNNING);
    assertThat(word.arrivals()).isEqualTo(KvMessage.End.UNKNOWN);
    second.dispose();
  }

  private KvMessage.End answerToCancel(long id) throws Exception {
    try (TestNode asker = new TestNode(decodeNode.engine.backend(), SMALL)) {
      CompletableFuture<Message> answer = asker.engine.messages(KvInbox.ANSWERS).next().toFuture();
      asker
          .engine
          .send(
              prefillNode.seenFrom(asker), KvInbox.URGENT, KvCodec.encode(new KvMessage.Cancel(id)))
          .block(PATIENCE);
      return (KvMessage.End) KvCodec.decode(answer.get().bytes());
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
