package io.reactivetransfer.examples.kvcache;

import io.reactivetransfer.examples.worker.Worker;
import io.reactivetransfer.kvcache.FinishedLayer;
import io.reactivetransfer.kvcache.KvPrefill;
import io.reactivetransfer.kvcache.KvRequest;
import io.reactivetransfer.kvcache.KvWritten;
import io.reactivetransfer.kvcache.PageReservation;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import reactor.core.publisher.Flux;

/** A prefill node that has computed all, and hands it over to whoever asks for it. */
final class ServeWorker implements Worker {

  /** More than any decode node has on its way. */
  private static final int AT_ONCE = 64;

  private final Plan plan;
  private final Node node;
  private final KvPrefill prefill;
  private final PageReservation reserved;

  private ServeWorker(Plan plan) throws IOException {
    this.plan = plan;
    this.node = Node.open(plan, plan.shape().sourceLayout());
    this.reserved = node.shuffledPool(plan.seed() + 1).reserve(plan.shape().pages(), "prefill");
    SourcePages.fill(node, reserved.pages(), plan);
    this.prefill = node.openCache(plan).prefill(Node.MODEL, node.memory);
  }

  static ServeWorker open(Plan plan) throws IOException {
    ServeWorker worker = new ServeWorker(plan);
    worker.prefill.serve(AT_ONCE, worker::handOver).subscribe();
    return worker;
  }

  private Flux<KvWritten> handOver(KvRequest request) {
    Flux<FinishedLayer> layers =
        Flux.range(0, plan.shape().layers()).map(layer -> FinishedLayer.whole(layer, request));
    return prefill.handOver(request, reserved.pages(), layers, node.tail.slice());
  }

  @Override
  public String answer(String line) {
    return switch (line) {
      case "address" -> node.engine.address().toText();
      case "compiled" ->
          String.valueOf(ManagementFactory.getCompilationMXBean().getTotalCompilationTime());
      default -> throw new IllegalArgumentException("not known to prefill: " + line);
    };
  }

  @Override
  public void close() {
    node.close();
    reserved.release();
  }
}
