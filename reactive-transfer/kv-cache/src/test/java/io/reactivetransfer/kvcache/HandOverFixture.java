package io.reactivetransfer.kvcache;

import static io.reactivetransfer.kvcache.TestNode.PATIENCE;
import static io.reactivetransfer.kvcache.TestNode.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import io.reactivetransfer.PageList;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.Parameter;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** A decode and a prefill node, and an order that one can send to the other. */
abstract class HandOverFixture {

  @Parameter String backend;

  static final OldLayout LAYOUT = new OldLayout(5, 24, 1_000);
  static final int PAGES = 8;

  TestNode decodeNode;
  TestNode prefillNode;
  PagePool pool;
  KvDecode decode;
  KvPrefill prefill;

  @BeforeEach
  void open() {
    decodeNode = new TestNode(backend, LAYOUT);
    prefillNode = new TestNode(backend, new OldLayout(5, 40, 1_000));
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

  KvOrder order() {
    return order(PATIENCE);
  }

  KvOrder order(Duration deadline) {
    return KvOrder.of(
        prefillNode.seenFrom(decodeNode), PAGES, decodeNode.tailRegion.slice(0, 100), deadline);
  }

  static PageList sourcePages() {
    return PageList.of(IntStream.range(0, PAGES).map(i -> 39 - 3 * i).toArray());
  }

  Flux<KvWritten> handOver(KvRequest request, Flux<FinishedLayer> layers) {
    return prefill.handOver(
        request, sourcePages(), layers, prefillNode.tailRegion.slice(0, request.tailBytes()));
  }

  static Flux<FinishedLayer> allLayers(KvRequest request) {
    return Flux.range(0, LAYOUT.layers()).map(layer -> FinishedLayer.whole(layer, request));
  }

  void requireArrived(KvArrival arrival) {
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

  KvRequest nextRequest() {
    return await(prefill.requests().next());
  }

  void requireSettled() {
    decode.settled().block(PATIENCE);
    assertThat(decode.held()).isZero();
    assertThat(pool.free()).isEqualTo(24);
  }

  static HandOverException failureOf(CompletableFuture<?> future) {
    Throwable failure =
        catchThrowableOfType(
            HandOverException.class, () -> Mono.fromFuture(future).block(PATIENCE));
    assertThat(failure).isNotNull();
    return (HandOverException) failure;
  }
}
