package io.reactivetransfer.examples.kvcache;

import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.PageList;
import io.reactivetransfer.PeerAddress;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.engine.TransferEngineBuilder;
import io.reactivetransfer.kvcache.FinishedLayer;
import io.reactivetransfer.kvcache.KvCache;
import io.reactivetransfer.kvcache.KvLayout;
import io.reactivetransfer.kvcache.KvMemory;
import io.reactivetransfer.kvcache.KvOrder;
import io.reactivetransfer.kvcache.KvPrefill;
import java.lang.foreign.Arena;
import java.time.Duration;
import java.util.Objects;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * A process that is going to be killed: a decode node that orders from an address, or a prefill
 * node that writes a layer every millisecond.
 */
final class VictimNode {

  static final String MODEL = "model";

  /** More layers than are written before it is killed; its description fits into a message. */
  static final KvLayout LAYOUT = KvLayout.opaque(20_000, 1, 64);

  private static final Duration INTERVAL = Duration.ofMillis(1);

  private VictimNode() {}

  /**
   * Runs until it is killed, or whoever started it has gone.
   *
   * @param args the backend, and for a decode node the address of prefill
   */
  public static void main(String[] args) throws Exception {
    TransferEngine engine =
        Objects.requireNonNull(TransferEngineBuilder.create().backend(args[0]).open().block());
    MemoryRegion region =
        Objects.requireNonNull(
            engine.register(Arena.global().allocate(LAYOUT.bytes(0), 64)).block());
    KvCache cache = KvCache.open(engine, "victim");
    if (args.length > 1) {
      cache
          .decode(MODEL, KvMemory.of(region, LAYOUT))
          .receive(
              KvOrder.into(engine.peer(PeerAddress.fromText(args[1])), PageList.of(0), () -> {})
                  .build(),
              arrival -> Mono.empty())
          .subscribe();
    } else {
      KvPrefill prefill = cache.prefill(MODEL, KvMemory.of(region, LAYOUT));
      prefill
          .serve(
              1,
              request ->
                  prefill.handOver(
                      request,
                      PageList.of(0),
                      Flux.interval(INTERVAL)
                          .onBackpressureDrop()
                          .take(LAYOUT.layers())
                          .index((layer, tick) -> Math.toIntExact(layer))
                          .map(layer -> FinishedLayer.whole(layer, request))))
          .subscribe();
      System.out.println("address " + engine.address().toText());
    }
    int last = System.in.read();
    System.out.println("over " + last);
  }
}
