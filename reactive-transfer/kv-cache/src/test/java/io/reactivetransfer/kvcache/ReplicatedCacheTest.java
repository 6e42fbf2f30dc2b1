package io.reactivetransfer.kvcache;

import static io.reactivetransfer.kvcache.TestNode.PATIENCE;
import static io.reactivetransfer.kvcache.TestNode.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.PageList;
import io.reactivetransfer.Peer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * A latent cache, which each rank of a group has in full: each target takes it from one of them.
 */
@ParameterizedClass
@ValueSource(strings = {"loopback", "tcp"})
class ReplicatedCacheTest {

  private static final int PAGE_TOKENS = 4;
  private static final int LAYERS = 3;

  @Parameter String backend;

  private final List<TestNode> nodes = new ArrayList<>();

  /** One latent vector of 96 bytes for each token. */
  private static KvLayout layout(int pages) {
    return KvLayout.contiguous(LAYERS, pages, PAGE_TOKENS, KvPart.whole("latent", 96));
  }

  private TestNode node(int pages) {
    TestNode node = new TestNode(backend, layout(pages));
    nodes.add(node);
    return node;
  }

  @AfterEach
  void close() {
    nodes.reversed().forEach(TestNode::close);
  }

  private static void serve(TestNode node, AtomicInteger served) {
    KvPrefill prefill = node.prefill();
    prefill
        .serve(
            4,
            request -> {
              served.incrementAndGet();
              return prefill.handOver(
                  request,
                  PageList.range(2, request.pages()),
                  Flux.range(0, LAYERS).map(layer -> FinishedLayer.whole(layer, request)));
            })
        .subscribe();
  }

  @Test
  void eachTargetTakesAllOfItFromTheReplicaOfItsRank() {
    List<TestNode> sources = List.of(node(8), node(8));
    List<AtomicInteger> served = List.of(new AtomicInteger(), new AtomicInteger());
    for (int i = 0; i < 2; i++) {
      sources.get(i).fill(1 + 50 * i); // so that it is seen where it is from
      serve(sources.get(i), served.get(i));
    }
    for (int rank = 0; rank < 5; rank++) {
      TestNode target = node(6);
      List<Peer> replicas = sources.stream().map(source -> source.seenFrom(target)).toList();
      PageList pages = PageList.of(5, 0, 3);
      KvOrder order =
          KvOrder.into(KvOrder.replica(replicas, rank), pages, () -> {})
              .tokens(10)
              .deadline(PATIENCE)
              .build();
      TestNode source = sources.get(rank % 2);
      Long arrivals =
          await(
              target
                  .decode()
                  .receive(
                      order,
                      arrival ->
                          Mono.fromCallable(() -> {
                            requireSame(source, target, pages);
                            return arrival.arrivals();
                          })));
      assertThat(arrivals).isEqualTo(LAYERS * 3);
    }
    assertThat(served.get(0)).hasValue(3);
    assertThat(served.get(1)).hasValue(2);
  }

  /** Ten tokens: two pages, and half of another one. */
  private static void requireSame(TestNode source, TestNode target, PageList pages) {
    for (int layer = 0; layer < LAYERS; layer++) {
      for (int i = 0; i < pages.size(); i++) {
        int tokens = i < 2 ? PAGE_TOKENS : 2;
        assertThat(
                target
                    .page(layer, pages.get(i))
                    .asSlice(0, 96L * tokens)
                    .mismatch(source.page(layer, 2 + i).asSlice(0, 96L * tokens)))
            .as("layer %d, page %d", layer, i)
            .isEqualTo(-1);
      }
    }
  }
}
