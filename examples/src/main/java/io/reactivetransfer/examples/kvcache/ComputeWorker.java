package io.reactivetransfer.examples.kvcache;

import io.reactivetransfer.PageList;
import io.reactivetransfer.examples.worker.Worker;
import io.reactivetransfer.kvcache.FinishedLayer;
import io.reactivetransfer.kvcache.KvPrefill;
import io.reactivetransfer.kvcache.KvRequest;
import io.reactivetransfer.kvcache.KvWritten;
import io.reactivetransfer.kvcache.PagePool;
import io.reactivetransfer.kvcache.PageReservation;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * A prefill node that computes what a request says, layer by layer, and fails where the request
 * says so.
 */
final class ComputeWorker implements Worker {

  private static final int AT_ONCE = 4;

  private final Plan plan;
  private final Node node;
  private final KvPrefill prefill;
  private final PagePool pool;
  private final AtomicInteger open = new AtomicInteger();

  /**
   * The body of a request.
   *
   * @param number of the hand-over
   * @param fate what is to become of it
   * @param step before which layer
   */
  record Task(int number, Fate fate, int step) {

    ByteBuffer toBody() {
      return StandardCharsets.UTF_8.encode(number + " " + fate + " " + step);
    }

    static Task of(ByteBuffer body) {
      String text = StandardCharsets.UTF_8.decode(body).toString();
      List<String> parts = Arrays.stream(text.split(" ")).toList();
      return new Task(
          Integer.parseInt(parts.get(0)),
          Fate.valueOf(parts.get(1)),
          Integer.parseInt(parts.get(2)));
    }
  }

  private ComputeWorker(Plan plan) {
    this.plan = plan;
    this.node =
        Node.open(
            plan,
            plan.shape().layout(AT_ONCE),
            Node.options(plan).livenessDeadline(Trouble.LIVENESS).build());
    this.pool = node.shuffledPool(plan.seed());
    this.prefill = node.openCache(plan).prefill(Node.MODEL, node.memory);
  }

  static ComputeWorker open(Plan plan) {
    ComputeWorker worker = new ComputeWorker(plan);
    worker.prefill.serve(AT_ONCE, worker::handOver).subscribe();
    return worker;
  }

  private Flux<KvWritten> handOver(KvRequest request) {
    Task task = Task.of(request.body());
    PageReservation reserved = pool.reserve(request.pages());
    open.incrementAndGet();
    Flux<KvWritten> written =
        prefill.handOver(request, reserved.pages(), layers(request, task, reserved.pages()));
    if (task.fate == Fate.WITHDRAW) {
      written = task.step == 0 ? Flux.empty() : written.take(task.step);
    }
    return written.doFinally(signal -> {
      open.decrementAndGet();
      // After a cancel, what is in flight reads its pages until the request is quiet.
      request.quiet().doFinally(any -> reserved.release()).subscribe();
    });
  }

  private Flux<FinishedLayer> layers(KvRequest request, Task task, PageList pages) {
    return Flux.range(0, plan.shape().layers())
        .concatMap(layer -> compute(layer, task, pages).thenReturn(layer), 1)
        .map(layer -> FinishedLayer.whole(layer, request));
  }

  private Mono<Void> compute(int layer, Task task, PageList pages) {
    if (layer == task.step && task.fate == Fate.STALL) {
      return Mono.never();
    }
    if (layer == task.step && task.fate == Fate.FAIL) {
      return Mono.error(new IllegalStateException("the model has failed"));
    }
    return Mono.delay(plan.layerInterval())
        .then(
            Mono.fromRunnable(() -> {
              for (int i = 0; i < pages.size(); i++) {
                Pattern.fill(node.page(layer, pages.get(i)), task.number, layer, i);
              }
            }));
  }

  @Override
  public String answer(String line) {
    return switch (line) {
      case "address" -> node.engine.address().toText();
      case "open" -> String.valueOf(open.get());
      default -> throw new IllegalArgumentException("not known to prefill: " + line);
    };
  }

  @Override
  public void close() {
    node.close();
  }
}
