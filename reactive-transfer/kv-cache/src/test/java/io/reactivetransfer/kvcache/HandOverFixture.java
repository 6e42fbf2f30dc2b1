package io.reactivetransfer.kvcache;

import static io.reactivetransfer.kvcache.TestNode.PATIENCE;
import static io.reactivetransfer.kvcache.TestNode.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import io.reactivetransfer.PageList;
import io.reactivetransfer.Peer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.Parameter;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** A decode and a prefill node, and an order that one can send to the other. */
abstract class HandOverFixture {

  @Parameter String backend;

  /** For what is the same whatever carries it: tcp has its turn in a nightly build only. */
  static Stream<String> carriers() {
    return Integer.getInteger("reactivetransfer.rounds", 1) > 1
        ? Stream.of("loopback", "tcp")
        : Stream.of("loopback");
  }

  static final KvLayout LAYOUT = KvLayout.opaque(5, 24, 1_000);
  static final int PAGES = 8;

  TestNode decodeNode;
  TestNode prefillNode;
  PagePool pool;
  KvDecode decode;
  KvPrefill prefill;

  @BeforeEach
  void open() {
    decodeNode = new TestNode(backend, LAYOUT);
    prefillNode = new TestNode(backend, KvLayout.opaque(5, 40, 1_000));
    decodeNode.open(options());
    prefillNode.open(options());
    pool = PagePool.of(PageList.of(IntStream.range(0, 24).map(i -> (i * 7) % 24).toArray()));
    decode = decodeNode.decode();
    prefill = prefillNode.prefill();
    prefillNode.fill(1);
    prefillNode.tails.setString(0, "the tail");
  }

  /** What both nodes are opened with. */
  KvCacheOptions options() {
    return KvCacheOptions.defaults();
  }

  @AfterEach
  void close() {
    decodeNode.cache().dispose();
    prefillNode.cache().dispose();
    prefillNode.close();
    decodeNode.close();
  }

  Peer peer() {
    return prefillNode.seenFrom(decodeNode);
  }

  /** Pages of an order that has failed come back a moment after its error. */
  void awaitRoom() {
    await().atMost(PATIENCE).until(() -> pool.free() >= PAGES);
  }

  /** With a tail of 100 bytes. */
  KvOrder.Builder ordered() {
    return KvOrder.into(peer(), pool.reserve(PAGES)).tail(decodeNode.tailRegion.slice(0, 100));
  }

  KvOrder order() {
    return order(PATIENCE);
  }

  KvOrder order(Duration deadline) {
    return ordered().deadline(deadline).build();
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

  /** Gone means gone: nothing is held, and every page is in the pool. */
  void requireSettled() {
    // What prefill has ended may not be known here yet: then it is held for a moment.
    await().atMost(PATIENCE).until(() -> decode.held() == 0);
    decode.settled().block(PATIENCE);
    await().atMost(PATIENCE).until(() -> pool.free() == 24);
  }

  static HandOverException failureOf(CompletableFuture<?> future) {
    Throwable failure =
        catchThrowableOfType(
            HandOverException.class, () -> Mono.fromFuture(future).block(PATIENCE));
    assertThat(failure).isNotNull();
    return (HandOverException) failure;
  }
}
