package io.reactivetransfer.micrometer;

import static io.reactivetransfer.micrometer.MeteredEngines.PATIENCE;

import io.reactivetransfer.EngineRecorder;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.PageList;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.kvcache.FinishedLayer;
import io.reactivetransfer.kvcache.KvCache;
import io.reactivetransfer.kvcache.KvCacheOptions;
import io.reactivetransfer.kvcache.KvDecode;
import io.reactivetransfer.kvcache.KvLayout;
import io.reactivetransfer.kvcache.KvMemory;
import io.reactivetransfer.kvcache.KvOrder;
import io.reactivetransfer.kvcache.KvPrefill;
import io.reactivetransfer.kvcache.KvRecorder;
import io.reactivetransfer.kvcache.KvRequest;
import java.lang.foreign.Arena;
import java.util.concurrent.CompletableFuture;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** A node that orders KV caches of a model, and one that has them. */
final class MeteredCaches {

  static final String MODEL = "a model";
  static final int PAGES = 4;
  static final KvLayout LAYOUT = KvLayout.opaque(3, 16, 100);
  static final long BYTES = (long) LAYOUT.layers() * PAGES * 100;

  final TransferEngine decodeEngine;
  final TransferEngine prefillEngine;
  final KvCache decodeCache;
  final KvCache prefillCache;
  final KvDecode decode;
  final KvPrefill prefill;

  MeteredCaches(MeteredEngines engines, KvRecorder recorder) {
    this(engines, recorder, recorder);
  }

  MeteredCaches(MeteredEngines engines, KvRecorder ofDecode, KvRecorder ofPrefill) {
    decodeEngine = engines.open(EngineRecorder.NONE);
    prefillEngine = engines.open(EngineRecorder.NONE);
    decodeCache = KvCache.open(decodeEngine, "decode", options(ofDecode));
    prefillCache = KvCache.open(prefillEngine, "prefill", options(ofPrefill));
    decode = decodeCache.decode(MODEL, memory(decodeEngine));
    prefill = prefillCache.prefill(MODEL, memory(prefillEngine));
  }

  private static KvCacheOptions options(KvRecorder recorder) {
    return KvCacheOptions.builder().recorder(recorder).build();
  }

  static KvMemory memory(TransferEngine engine) {
    MemoryRegion region =
        engine.register(Arena.ofAuto().allocate(LAYOUT.bytes(0), 64)).block(PATIENCE);
    return KvMemory.of(region, LAYOUT);
  }

  KvOrder order() {
    return KvOrder.into(
            decodeEngine.peer(prefillEngine.address()), PageList.range(0, PAGES), () -> {})
        .build();
  }

  /** An order that ends when its pages may be used again. */
  CompletableFuture<Void> ordered() {
    return decode.<Void>receive(order(), _ -> Mono.empty()).toFuture();
  }

  KvRequest nextRequest() {
    return prefill.requests().next().block(PATIENCE);
  }

  void handOver(KvRequest request) {
    handingOver(request).block(PATIENCE);
  }

  Mono<Void> handingOver(KvRequest request) {
    Flux<FinishedLayer> layers =
        Flux.range(0, LAYOUT.layers()).map(layer -> FinishedLayer.whole(layer, request));
    return prefill.handOver(request, PageList.range(0, PAGES), layers).then();
  }

  /** One order that arrives. */
  void handOver() {
    CompletableFuture<Void> order = ordered();
    handOver(nextRequest());
    Mono.fromFuture(order).block(PATIENCE);
  }
}
