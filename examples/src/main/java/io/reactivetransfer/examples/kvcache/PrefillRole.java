package io.reactivetransfer.examples.kvcache;

import io.reactivetransfer.PageList;
import io.reactivetransfer.kvcache.FinishedLayer;
import io.reactivetransfer.kvcache.KvPrefill;
import io.reactivetransfer.kvcache.KvRequest;
import io.reactivetransfer.kvcache.KvWritten;
import io.reactivetransfer.kvcache.PageReservation;
import java.io.IOException;
import java.time.Duration;
import java.util.Objects;
import org.HdrHistogram.Histogram;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** The prefill side: waits for one request, and writes each layer when it is finished. */
final class PrefillRole {

  /** The deadline of the request comes first; this is for a peer that neither answers nor dies. */
  private static final Duration GRACE = Duration.ofSeconds(2);

  /** Decode starts at the same time, and a slow machine may take long to start it. */
  private static final Duration STARTUP = Duration.ofSeconds(15);

  private final Plan plan;
  private final RoleEvents events;
  private final long[] submittedNanos;
  private final Histogram latencies = new Histogram(3);
  private long lastNanos;
  private long bytes;
  private int layersDone;

  /** Whether it is the one that is measured, behind those that make it warm. */
  private volatile boolean counts;

  private PrefillRole(Plan plan, RoleEvents events) {
    this.plan = plan;
    this.events = events;
    this.submittedNanos = new long[plan.shape().layers()];
  }

  static PrefillReport run(Plan plan, RoleEvents events) throws IOException {
    return new PrefillRole(plan, events).run();
  }

  private PrefillReport run() throws IOException {
    try (Node node = Node.open(plan, plan.shape().sourceLayout())) {
      KvPrefill prefill = node.openCache(plan).prefill(Node.MODEL, node.memory);
      events.address(node.engine.address());
      PageReservation reserved =
          node.shuffledPool(plan.seed() + 1).reserve(plan.shape().pages(), "prefill");
      PageList pages = reserved.pages();
      SourcePages.fill(node, pages, plan);

      for (int warmUp = 0; warmUp < plan.warmUps(); warmUp++) {
        handOver(prefill, pages, node);
      }
      counts = true;
      handOver(prefill, pages, node);
      prefill.dispose();
      reserved.release();
    }
    return new PrefillReport(
        bytes,
        lastNanos - submittedNanos[0],
        latencies.getTotalCount(),
        latencies.getValueAtPercentile(50),
        latencies.getValueAtPercentile(99));
  }

  private void handOver(KvPrefill prefill, PageList pages, Node node) {
    Duration patience = plan.deadline().plus(STARTUP);
    KvRequest request =
        Objects.requireNonNull(
            prefill.requests().next().timeout(patience, nobody(patience)).block());
    happened(Moment.What.REQUESTED, -1);
    prefill
        .handOver(request, pages, layers(request), node.tail.slice())
        .doOnNext(this::done)
        .then()
        .timeout(plan.deadline().plus(GRACE), Mono.error(() -> stuck(request)))
        .block();
  }

  private void happened(Moment.What what, int layer) {
    if (counts && plan.timeline()) {
      events.happened(Moment.of(what, layer));
    }
  }

  /** Stands for the model: finishes one layer after the other, no faster than they are taken. */
  private Flux<FinishedLayer> layers(KvRequest request) {
    Flux<Integer> computed = Flux.range(0, plan.shape().layers());
    if (!plan.layerInterval().isZero()) {
      computed = computed.concatMap(this::compute, 1);
    }
    return computed
        .doOnNext(layer -> {
          submittedNanos[layer] = System.nanoTime();
          happened(Moment.What.COMPUTED, layer);
        })
        .map(layer -> FinishedLayer.whole(layer, request));
  }

  private Mono<Integer> compute(int layer) {
    return Mono.defer(() -> {
      happened(Moment.What.COMPUTING, layer);
      return Mono.delay(plan.layerInterval()).thenReturn(layer);
    });
  }

  private void done(KvWritten written) {
    happened(
        written instanceof KvWritten.Layer ? Moment.What.WRITTEN : Moment.What.TAIL_WRITTEN,
        written instanceof KvWritten.Layer it ? it.layer() : -1);
    if (!counts) {
      return;
    }
    lastNanos = System.nanoTime();
    bytes += written.bytes();
    if (written instanceof KvWritten.Layer it) {
      latencies.recordValue(lastNanos - submittedNanos[it.layer()]);
      events.layersDone(++layersDone);
    }
  }

  private static Mono<KvRequest> nobody(Duration patience) {
    return Mono.error(() ->
        new IllegalStateException(
            "no request of a decode node came within " + patience.toSeconds() + " s"));
  }

  private IllegalStateException stuck(KvRequest request) {
    return new IllegalStateException(
        "decode "
            + request.decode().address()
            + " neither took the bytes nor ended within "
            + plan.deadline().toSeconds()
            + " s");
  }
}
