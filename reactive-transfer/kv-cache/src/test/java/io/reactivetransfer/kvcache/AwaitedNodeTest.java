package io.reactivetransfer.kvcache;

import static io.reactivetransfer.kvcache.TestNode.KEPT;
import static io.reactivetransfer.kvcache.TestNode.MODEL;
import static io.reactivetransfer.kvcache.TestNode.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.reactivetransfer.EngineOptions;
import io.reactivetransfer.Imm;
import io.reactivetransfer.PageList;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.scheduler.Schedulers;
import reactor.test.scheduler.VirtualTimeScheduler;

/** Of several prefill nodes the one that is late is named, and none that has sent all it has. */
class AwaitedNodeTest {

  private static final Duration DEADLINE = Duration.ofSeconds(10);

  private final VirtualTimeScheduler time = VirtualTimeScheduler.create();

  /** Its signals come one after the other. */
  private final TestNode decodeNode =
      new TestNode(
          "loopback",
          layout(0, 4),
          EngineOptions.builder().signalScheduler(Schedulers.immediate()).build());

  private final TestNode low = new TestNode("loopback", layout(0, 2));
  private final TestNode high = new TestNode("loopback", layout(2, 2));
  private final KvCache cache = KvCache.open(decodeNode.engine, "decode", timed());
  private final KvDecode decode = cache.decode(MODEL, decodeNode.memory);

  private KvCacheOptions timed() {
    return KvCacheOptions.builder().timers(time).build();
  }

  private static KvLayout layout(int firstLayer, int layers) {
    return KvLayout.builder()
        .firstLayer(firstLayer)
        .layers(layers)
        .pages(4)
        .pageTokens(1)
        .part(KvPart.whole("kv", 64))
        .build();
  }

  @AfterEach
  void close() {
    high.close();
    low.close();
    decodeNode.close();
  }

  private CompletableFuture<KvArrival> ordered(TestNode first, TestNode second) {
    KvOrder order =
        KvOrder.into(first.seenFrom(decodeNode), PageList.of(0, 1, 2, 3), () -> {})
            .from(second.seenFrom(decodeNode))
            .deadline(DEADLINE)
            .build();
    return decode.receive(order, KEPT).toFuture();
  }

  private static void serve(TestNode node) {
    KvPrefill prefill = node.prefill();
    prefill
        .serve(
            1,
            request ->
                prefill.handOver(
                    request,
                    PageList.range(0, 4),
                    Flux.range(node.layout.firstLayer(), node.layout.layers())
                        .map(layer -> FinishedLayer.whole(layer, request))))
        .subscribe();
  }

  @Test
  void whoHasSentNothingYetIsNamed() {
    serve(low);
    KvPrefill late = high.prefill();
    CompletableFuture<KvArrival> arrival = ordered(low, high);
    assertThat(late.requests().next().block(PATIENCE)).isNotNull();
    // The other one's immediate is given back when all of it is there.
    await().atMost(PATIENCE).until(() -> decodeNode.engine.stats().openLeases() == 2);

    time.advanceTimeBy(DEADLINE);

    HandOverException failure = HandOverFixture.failureOf(arrival);
    assertThat(failure.reason())
        .isIn(HandOverException.Reason.DEADLINE, HandOverException.Reason.INFEASIBLE);
    assertThat(failure.peer()).isEqualTo(high.seenFrom(decodeNode));
  }

  @Test
  void whoHasNotSaidWhatItHasIsNamed() {
    serve(low);
    CompletableFuture<KvArrival> arrival = ordered(low, high);
    // It is known what the first one has when the memory was registered for it.
    long before = 2; // pages and tails
    await().atMost(PATIENCE).until(() -> decodeNode.engine.stats().openRegions() == before + 1);
    decodeNode.engine.counter(Imm.of(9_999)).discard().block(PATIENCE); // and was told of
    assertThat(arrival).isNotDone();

    time.advanceTimeBy(DEADLINE);

    HandOverException failure = HandOverFixture.failureOf(arrival);
    assertThat(failure.reason()).isEqualTo(HandOverException.Reason.DEADLINE);
    assertThat(failure.peer()).isEqualTo(high.seenFrom(decodeNode));
    assertThat(failure).hasMessageContaining("expected an answer within PT10S, none came");
  }
}
