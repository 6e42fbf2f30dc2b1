package io.reactivetransfer.micrometer;

import static io.reactivetransfer.micrometer.MeteredCaches.MODEL;
import static io.reactivetransfer.micrometer.MeteredCaches.PAGES;

import io.micrometer.observation.Observation;
import io.micrometer.observation.contextpropagation.ObservationThreadLocalAccessor;
import io.reactivetransfer.PageList;
import io.reactivetransfer.PeerAddress;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.kvcache.KvCache;
import io.reactivetransfer.kvcache.KvDecode;
import io.reactivetransfer.kvcache.KvOrder;
import reactor.core.publisher.Mono;
import reactor.util.context.Context;

/** A decode node with a tracer of its own, which makes one order and prints its spans. */
final class TracedDecodeProgram {

  private TracedDecodeProgram() {}

  /**
   * Runs it.
   *
   * @param args the address of the prefill node
   */
  public static void main(String[] args) {
    TracedProcess process = new TracedProcess();
    TransferEngine engine = TracedNodes.open();
    KvCache cache = KvCache.open(engine, "decode", TracedNodes.options(process));
    KvDecode decode = cache.decode(MODEL, MeteredCaches.memory(engine));
    KvOrder order =
        KvOrder.into(engine.peer(PeerAddress.fromText(args[0])), PageList.range(0, PAGES), () -> {})
            .build();
    Observation asking = Observation.start("asking", process.registry);
    decode
        .receive(order, _ -> Mono.empty())
        .contextWrite(Context.of(ObservationThreadLocalAccessor.KEY, asking))
        .block(TracedNodes.PATIENCE);
    asking.stop();
    process.print(2);
    engine.close().block(TracedNodes.PATIENCE);
  }
}
