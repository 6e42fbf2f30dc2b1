package io.reactivetransfer.micrometer;

import static io.reactivetransfer.micrometer.MeteredCaches.LAYOUT;
import static io.reactivetransfer.micrometer.MeteredCaches.MODEL;
import static io.reactivetransfer.micrometer.MeteredCaches.PAGES;

import io.reactivetransfer.PageList;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.kvcache.FinishedLayer;
import io.reactivetransfer.kvcache.KvCache;
import io.reactivetransfer.kvcache.KvPrefill;
import reactor.core.publisher.Flux;

/** A prefill node with a tracer of its own, which serves one order and prints its span. */
final class TracedPrefillProgram {

  private TracedPrefillProgram() {}

  /** Runs it until it is killed: nobody is to see it leave before all has arrived. */
  public static void main(String[] args) throws InterruptedException {
    TracedProcess process = new TracedProcess();
    TransferEngine engine = TracedNodes.open();
    KvCache cache = KvCache.open(engine, "prefill", TracedNodes.options(process));
    KvPrefill prefill = cache.prefill(MODEL, MeteredCaches.memory(engine));
    prefill
        .serve(
            1,
            request ->
                prefill.handOver(
                    request,
                    PageList.range(0, PAGES),
                    Flux.range(0, LAYOUT.layers())
                        .map(layer -> FinishedLayer.whole(layer, request))))
        .subscribe();
    System.out.println("address " + engine.address().toText());
    process.print(1);
    Thread.currentThread().join();
  }
}
