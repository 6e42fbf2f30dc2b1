package io.reactivetransfer.examples.cluster;

import io.reactivetransfer.PageList;
import io.reactivetransfer.examples.kvcache.Pattern;
import io.reactivetransfer.examples.worker.Worker;
import io.reactivetransfer.kvcache.FinishedLayer;
import io.reactivetransfer.kvcache.KvPrefill;
import io.reactivetransfer.kvcache.KvRequest;
import io.reactivetransfer.kvcache.KvWritten;
import io.reactivetransfer.kvcache.PageReservation;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Computes what requests ask for, which here is what their number says, and hands it over. */
final class PrefillNode implements Worker {

  static final String SERVED = "served";

  private static final int AT_ONCE = 32;
  private static final Duration LAYER = Duration.ofMillis(2);

  private final ClusterNode node;
  private final KvPrefill prefill;
  private final AtomicLong served = new AtomicLong();

  private PrefillNode(ClusterNode node) {
    this.node = node;
    this.prefill = node.cache.prefill(ClusterNode.MODEL, node.memory);
  }

  static PrefillNode open(String name, String etcd) {
    PrefillNode node = new PrefillNode(ClusterNode.open(name, ClusterNode.PREFILL, etcd));
    node.prefill.serve(AT_ONCE, node::handOver).subscribe();
    node.node.enter();
    return node;
  }

  private Flux<KvWritten> handOver(KvRequest request) {
    int number = request.body().getInt();
    PageReservation pages = node.pool.reserve(request.pages(), "request " + number);
    AtomicBoolean over = new AtomicBoolean();
    Flux<FinishedLayer> layers =
        Flux.range(0, ClusterNode.LAYERS)
            .concatMap(layer -> compute(number, layer, pages.pages(), over).thenReturn(layer), 1)
            .map(layer -> FinishedLayer.whole(layer, request));
    return Flux.defer(() -> prefill.handOver(request, pages.pages(), layers))
        .doOnComplete(served::incrementAndGet)
        .doFinally(signal -> {
          synchronized (over) { // a layer that is being computed now is done first
            over.set(true);
          }
          // After a cancel, what is in flight reads its pages until the request is quiet.
          request.quiet().doFinally(any -> pages.release()).subscribe();
        });
  }

  private Mono<Void> compute(int number, int layer, PageList pages, AtomicBoolean over) {
    return Mono.delay(LAYER)
        .then(
            Mono.fromRunnable(() -> {
              synchronized (over) {
                for (int i = 0; i < pages.size() && !over.get(); i++) {
                  Pattern.fill(node.page(layer, pages.get(i)), number, layer, i);
                }
              }
            }));
  }

  @Override
  public String answer(String line) {
    if (line.equals(SERVED)) {
      return String.valueOf(served.get());
    }
    throw new IllegalArgumentException("not known to a prefill node: " + line);
  }

  /** What it has begun, it ends; what has only come, it refuses, so that others are asked. */
  @Override
  public void close() {
    node.close();
  }
}
