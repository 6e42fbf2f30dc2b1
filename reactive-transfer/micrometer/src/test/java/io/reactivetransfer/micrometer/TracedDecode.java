package io.reactivetransfer.micrometer;

import static io.reactivetransfer.micrometer.MeteredCaches.MODEL;
import static io.reactivetransfer.micrometer.MeteredCaches.PAGES;

import io.micrometer.observation.Observation;
import io.micrometer.observation.contextpropagation.ObservationThreadLocalAccessor;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.reactivetransfer.PageList;
import io.reactivetransfer.Peer;
import io.reactivetransfer.PeerAddress;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.kvcache.KvCache;
import io.reactivetransfer.kvcache.KvDecode;
import io.reactivetransfer.kvcache.KvOrder;
import java.util.List;
import reactor.core.publisher.Mono;
import reactor.util.context.Context;

/** A decode node with a tracer of its own, in the process of the test. */
final class TracedDecode {

  private TracedDecode() {}

  /** Makes one order for the prefill node of this address; returns its spans as they ended. */
  static List<SpanData> order(String prefill) {
    TracedProcess process = new TracedProcess();
    TransferEngine engine = TracedNodes.open();
    try {
      KvCache cache = KvCache.open(engine, "decode", TracedNodes.options(process));
      KvDecode decode = cache.decode(MODEL, MeteredCaches.memory(engine));
      Peer from = engine.peer(PeerAddress.fromText(prefill));
      KvOrder order = KvOrder.into(from, PageList.range(0, PAGES), () -> {}).build();
      Observation asking = Observation.start("asking", process.registry);
      decode
          .receive(order, _ -> Mono.empty())
          .contextWrite(Context.of(ObservationThreadLocalAccessor.KEY, asking))
          .block(TracedNodes.PATIENCE);
      asking.stop();
      return process.ended(2);
    } finally {
      engine.close().block(TracedNodes.PATIENCE);
    }
  }
}
