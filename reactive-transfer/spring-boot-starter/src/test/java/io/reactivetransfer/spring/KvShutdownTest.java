package io.reactivetransfer.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.PageList;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.kvcache.FinishedLayer;
import io.reactivetransfer.kvcache.KvCache;
import io.reactivetransfer.kvcache.KvDecode;
import io.reactivetransfer.kvcache.KvLayout;
import io.reactivetransfer.kvcache.KvMemory;
import io.reactivetransfer.kvcache.KvOrder;
import io.reactivetransfer.kvcache.KvPart;
import io.reactivetransfer.kvcache.KvPrefill;
import io.reactivetransfer.kvcache.KvRequest;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/** A hand-over that was begun is ended before the engine of a context that stops is closed. */
class KvShutdownTest {

  private static final KvLayout LAYOUT =
      KvLayout.contiguous(1, 4, 16, KvPart.tokenMajor("k", 0, 1, 64));

  private static KvMemory memory(Node node, MemorySegment memory) {
    MemoryRegion region = node.engine().register(memory).block(Node.PATIENCE);
    return KvMemory.of(region, LAYOUT);
  }

  /** With a cache of its own, in the place of the starter's. */
  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  static class OwnCache {

    @Bean(destroyMethod = "")
    KvCache cache(TransferEngine engine) {
      return KvCache.open(engine);
    }
  }

  @ParameterizedTest
  @ValueSource(classes = {Node.Application.class, OwnCache.class})
  void whatPrefillHasBegunItEndsAndThenItsEngineCloses(Class<?> application) {
    try (Arena arena = Arena.ofShared();
        Node prefillNode =
            Node.start(application, "reactive-transfer.backend=tcp", "reactive-transfer.nics=1");
        Node decodeNode = Node.overTcp()) {
      MemorySegment computed = arena.allocate(LAYOUT.bytes(0)).fill((byte) 42);
      MemorySegment received = arena.allocate(LAYOUT.bytes(0));
      KvCache cache = prefillNode.context.getBean(KvCache.class);
      KvPrefill prefill = cache.prefill("model", memory(prefillNode, computed));
      AtomicReference<KvRequest> begun = new AtomicReference<>();
      Sinks.Many<FinishedLayer> layers = Sinks.many().unicast().onBackpressureBuffer();
      prefill
          .serve(
              1,
              request -> {
                begun.set(request);
                return prefill.handOver(
                    request, PageList.range(0, request.pages()), layers.asFlux());
              })
          .onErrorComplete()
          .subscribe();

      KvDecode decode =
          decodeNode.context.getBean(KvCache.class).decode("model", memory(decodeNode, received));
      KvOrder order =
          KvOrder.into(
                  decodeNode.engine().peer(prefillNode.engine().address()),
                  PageList.of(2),
                  () -> {})
              .tokens(16)
              .build();
      CompletableFuture<Byte> first =
          decode
              .receive(
                  order,
                  _ ->
                      Mono.fromCallable(
                          () -> received.get(ValueLayout.JAVA_BYTE, LAYOUT.offset(0, 0, 2))))
              .toFuture();
      KvRequest request = await().atMost(Node.PATIENCE).until(begun::get, known -> known != null);

      CompletableFuture<Void> stopped = CompletableFuture.runAsync(prefillNode::close);
      await().atMost(Node.PATIENCE).until(cache::isDisposed);
      assertThat(prefillNode.engine().isClosed()).isFalse();
      layers.tryEmitNext(FinishedLayer.whole(0, request)).orThrow();
      layers.tryEmitComplete().orThrow();
      assertThat(first.orTimeout(Node.PATIENCE.toSeconds(), TimeUnit.SECONDS).join())
          .isEqualTo((byte) 42);
      stopped.orTimeout(2 * Node.PATIENCE.toSeconds(), TimeUnit.SECONDS).join();
    }
  }
}
