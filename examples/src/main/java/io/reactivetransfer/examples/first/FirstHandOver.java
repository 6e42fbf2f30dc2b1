package io.reactivetransfer.examples.first;

import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.PageList;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.engine.TransferEngineBuilder;
import io.reactivetransfer.kvcache.FinishedLayer;
import io.reactivetransfer.kvcache.KvCache;
import io.reactivetransfer.kvcache.KvDecode;
import io.reactivetransfer.kvcache.KvLayout;
import io.reactivetransfer.kvcache.KvMemory;
import io.reactivetransfer.kvcache.KvOrder;
import io.reactivetransfer.kvcache.KvPart;
import io.reactivetransfer.kvcache.KvPrefill;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

public final class FirstHandOver {

  // 4 layers, 32 pages of 16 tokens; each token has keys and values of 2 heads of 128 bytes.
  private static final KvLayout LAYOUT =
      KvLayout.contiguous(
          4, 32, 16, KvPart.tokenMajor("k", 0, 2, 128), KvPart.tokenMajor("v", 0, 2, 128));

  public static void main(String[] args) {
    TransferEngine prefillEngine = TransferEngineBuilder.create().backend("tcp").open().block();
    TransferEngine decodeEngine = TransferEngineBuilder.create().backend("tcp").open().block();
    try (Arena arena = Arena.ofShared()) {
      MemorySegment computed = arena.allocate(LAYOUT.bytes(0)).fill((byte) 42);
      MemorySegment received = arena.allocate(LAYOUT.bytes(0));

      // The prefill node, in a process of its own.
      MemoryRegion source = prefillEngine.register(computed).block();
      KvPrefill prefill =
          KvCache.open(prefillEngine, "prefill-0").prefill("model", KvMemory.of(source, LAYOUT));
      prefill
          .serve(
              2,
              request -> {
                PageList pages = PageList.range(0, request.pages()); // those that it computes into
                Flux<FinishedLayer> layers = // one after the other, as they are computed
                    Flux.range(0, 4).map(layer -> FinishedLayer.whole(layer, request));
                return prefill.handOver(request, pages, layers);
              })
          .subscribe();

      // The decode node, in another one, which was told the address of the first.
      MemoryRegion target = decodeEngine.register(received).block();
      KvDecode decode =
          KvCache.open(decodeEngine, "decode-0").decode("model", KvMemory.of(target, LAYOUT));
      PageList pages = PageList.of(7, 3); // free ones of the engine's own
      KvOrder order =
          KvOrder.into(
                  decodeEngine.peer(prefillEngine.address()),
                  pages,
                  () -> System.out.println("Pages are free again."))
              .tokens(20)
              .build();
      String result =
          decode
              .receive(
                  order,
                  arrival -> // every byte can be read here, until what this returns has ended
                  Mono.fromCallable(() -> {
                    long at = LAYOUT.offset(3, 1, 7); // of page 7, of the values of layer 3
                    byte first = received.get(ValueLayout.JAVA_BYTE, at);
                    return "Arrived: " + arrival.span().tokens() + " tokens of " + first + ".";
                  }))
              .block();
      System.out.println(result);

      decodeEngine.close().then(prefillEngine.close()).block();
    }
  }
}
