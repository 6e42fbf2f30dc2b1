package io.reactivetransfer.kvcache;

import static io.reactivetransfer.kvcache.TestNode.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.reactivetransfer.EngineOptions;
import io.reactivetransfer.ImmLease;
import io.reactivetransfer.PageList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** A hand-over that the engine does not take has written nothing, and prefill says so. */
class NothingPostedTest {

  private static final KvLayout LAYOUT = KvLayout.opaque(2, 8, 64);

  private final TestNode decodeNode = new TestNode("loopback", LAYOUT);
  private final TestNode prefillNode =
      new TestNode("loopback", LAYOUT, EngineOptions.builder().maxSubmissions(16).build());
  private final KvPrefill prefill = prefillNode.prefill();

  @AfterEach
  void close() {
    prefillNode.close();
    decodeNode.close();
  }

  /** Else its node would be shut out, with all orders that run with it, on some NICs. */
  @Test
  void isNotOneOfWhichNobodyKnowsWhatMayLand() {
    KvOrder order =
        KvOrder.into(prefillNode.seenFrom(decodeNode), PageList.range(0, 2), () -> {})
            .deadline(PATIENCE)
            .build();
    var failed = decodeNode.decode().receive(order, come -> Mono.just(1)).toFuture();
    KvRequest request = TestNode.await(prefill.requests().next());
    ImmLease lease = prefillNode.engine.lease();
    AtomicInteger rejected = new AtomicInteger();
    for (int i = 0; i < 17; i++) {
      lease.counter().next(1).subscribe(met -> {}, failure -> rejected.incrementAndGet());
    }
    await().atMost(PATIENCE).until(() -> rejected.get() > 0);

    Flux<FinishedLayer> layers = Flux.range(0, 2).map(layer -> FinishedLayer.whole(layer, request));
    HandOverException refused =
        HandOverFixture.failureOf(
            prefill.handOver(request, PageList.range(0, 2), layers).then().toFuture());
    assertThat(refused).hasMessageContaining("maxSubmissions");
    KvMessage.End said =
        prefillNode
            .cache()
            .ids
            .ofOthers()
            .said(new KnownNumbers.Key(decodeNode.engine.id(), request.id()));
    assertThat(said).isNotNull();
    assertThat(said.outcome()).isEqualTo(KvMessage.Outcome.FAILED);
    assertThat(said.arrivals()).isZero();
    HandOverException told = HandOverFixture.failureOf(failed);
    assertThat(told.reason()).isEqualTo(HandOverException.Reason.FAILED);
    assertThat(told).hasMessageContaining("maxSubmissions");
  }
}
