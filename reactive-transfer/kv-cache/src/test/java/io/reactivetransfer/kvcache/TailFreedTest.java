package io.reactivetransfer.kvcache;

import static io.reactivetransfer.kvcache.TestNode.PATIENCE;
import static io.reactivetransfer.kvcache.TestNode.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.MemorySlice;
import io.reactivetransfer.PageList;
import java.lang.foreign.Arena;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** The memory of a tail may be freed when the order is quiet: no NIC knows it any more. */
@ParameterizedClass
@ValueSource(strings = {"loopback", "tcp"})
class TailFreedTest {

  private static final KvLayout LAYOUT = KvLayout.opaque(2, 4, 64);
  private static final int ORDERS = 40;

  private final TestNode decodeNode;
  private final TestNode prefillNode;
  private KvDecode decode;

  TailFreedTest(String backend) {
    decodeNode = new TestNode(backend, LAYOUT);
    prefillNode = new TestNode(backend, LAYOUT);
  }

  @BeforeEach
  void open() {
    decode = decodeNode.decode();
    KvPrefill prefill = prefillNode.prefill();
    prefill
        .serve(
            4,
            request -> {
              MemorySlice tail = prefillNode.tailRegion.slice(0, request.tailBytes());
              return request.pages() == 0
                  ? prefill.handOver(request, tail)
                  : prefill.handOver(
                      request,
                      PageList.range(0, request.pages()),
                      Flux.range(0, 2).map(layer -> FinishedLayer.whole(layer, request)),
                      tail);
            })
        .subscribe();
  }

  @AfterEach
  void close() {
    prefillNode.close();
    decodeNode.close();
  }

  private long openRegions() {
    return decodeNode.engine.stats().openRegions();
  }

  /** Runs orders for a tail each, one after the other; says how many regions were open then. */
  private void requireClosedWhenQuiet(boolean cancelled) {
    await(receive(new CompletableFuture<>())); // the KV memory is registered for the node
    for (int i = 0; i < ORDERS; i++) {
      long before = openRegions();
      CompletableFuture<Long> regionsThen = new CompletableFuture<>();
      if (cancelled) {
        Disposable running = receive(regionsThen).subscribe();
        for (int spins = 0; spins < i * 2_000; spins++) {
          Thread.onSpinWait();
        }
        running.dispose();
      } else {
        await(receive(regionsThen));
      }
      long then = Mono.fromFuture(regionsThen).block(PATIENCE);
      assertThat(then).as("order %d", i).isLessThanOrEqualTo(before);
      assertThat(openRegions()).isEqualTo(before);
    }
  }

  private Mono<Integer> receive(CompletableFuture<Long> regionsWhenQuiet) {
    KvOrder order =
        KvOrder.into(
                prefillNode.seenFrom(decodeNode),
                PageList.range(0, 4),
                () -> regionsWhenQuiet.complete(openRegions()))
            .tail(decodeNode.tailRegion.slice(0, 100))
            .deadline(PATIENCE)
            .build();
    return decode.receive(order, arrival -> Mono.just(1));
  }

  @Test
  void whenItHasArrived() {
    requireClosedWhenQuiet(false);
  }

  @Test
  void whenItWasCancelled() {
    requireClosedWhenQuiet(true);
  }

  @Test
  void soItCanBeFreed() {
    await(receive(new CompletableFuture<>()));
    long before = openRegions();
    for (int i = 0; i < ORDERS; i++) {
      CompletableFuture<Void> quiet = new CompletableFuture<>();
      try (Arena arena = Arena.ofShared()) {
        MemoryRegion region = await(decodeNode.engine.register(arena.allocate(512, 64)));
        KvOrder order =
            KvOrder.tailOnly(
                    prefillNode.seenFrom(decodeNode),
                    region.slice(0, 512),
                    () -> quiet.complete(null))
                .deadline(PATIENCE)
                .build();
        await(decode.receive(order, arrival -> Mono.just(1)));
        Mono.fromFuture(quiet).block(PATIENCE);
        region.close().block(PATIENCE);
        assertThat(openRegions()).as("order %d", i).isEqualTo(before);
      }
    }
  }
}
