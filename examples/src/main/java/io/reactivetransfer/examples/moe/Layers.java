package io.reactivetransfer.examples.moe;

import io.reactivetransfer.Memory;
import io.reactivetransfer.examples.worker.SharedClock;
import io.reactivetransfer.examples.worker.WorkerMemory;
import io.reactivetransfer.moe.MoeGroup;
import io.reactivetransfer.moe.MoeStep;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Micro-batches on their way through layers: work, tokens to experts, the work of the experts, and
 * results back. Each micro-batch has a lane. One by one, a layer of the next micro-batch begins
 * when that of the one before has ended; overlapped, one works while the others are under way.
 */
final class Layers {

  private final MoeGroup group;
  private final List<Routing> routings;
  private final TokenMemory tokens;

  /** Of each lane. */
  private final List<Memory> sums;

  private final TimedDevice device = new TimedDevice();
  private final List<Span> spans = new ArrayList<>();

  /**
   * Of a group.
   *
   * @param routings those of the layers in turn
   * @param sums of the micro-batches, one behind the other
   */
  Layers(MoeGroup group, List<Routing> routings, TokenMemory tokens, WorkerMemory sums) {
    this.group = group;
    this.routings = List.copyOf(routings);
    this.tokens = tokens;
    long bytes = group.shape().maxTokens() * group.shape().sumBytes();
    this.sums =
        IntStream.range(0, group.shape().lanes())
            .mapToObj(lane -> sums.slice(lane * bytes, bytes))
            .toList();
  }

  /**
   * Takes the micro-batches of all lanes through layers.
   *
   * @param workNanos how long each of the two pieces of work takes, of each layer
   * @return nanoseconds that all took together
   */
  Mono<Long> run(int layers, long workNanos, boolean overlapped) {
    return Mono.defer(() -> {
      synchronized (spans) {
        spans.clear();
      }
      List<Mono<Void>> sent = new ArrayList<>();
      long began = System.nanoTime();
      int lanes = group.shape().lanes();
      Mono<Void> all =
          overlapped
              ? Flux.range(0, lanes)
                  .flatMap(lane -> through(layers, List.of(lane), workNanos, sent))
                  .then()
              : through(layers, IntStream.range(0, lanes).boxed().toList(), workNanos, sent);
      return all.then(Mono.defer(() -> Mono.when(sent)))
          .then(Mono.fromSupplier(() -> System.nanoTime() - began));
    });
  }

  /** What was done in the last run. */
  List<Span> spans() {
    synchronized (spans) {
      return List.copyOf(spans);
    }
  }

  private Mono<Void> through(
      int layers, List<Integer> lanes, long workNanos, List<Mono<Void>> sent) {
    return Flux.range(0, layers)
        .concatMap(layer ->
            Flux.fromIterable(lanes).concatMap(lane -> layer(layer, lane, workNanos, sent)))
        .then();
  }

  private Mono<Void> layer(int layer, int lane, long workNanos, List<Mono<Void>> sent) {
    Routing routing = routings.get(layer % routings.size());
    return work(Span.What.WORK, lane, workNanos)
        .then(
            Mono.defer(() -> {
              MoeStep step =
                  group.lane(lane).begin(routing.tokens(), routing.experts(), routing.weights());
              add(sent, spanned(tokens.send(step), Span.What.DISPATCH_SEND, lane));
              return spanned(step.dispatchReceive(), Span.What.DISPATCH_RECEIVE, lane)
                  .flatMap(batch -> work(Span.What.EXPERTS, lane, workNanos))
                  .then(
                      Mono.defer(() -> {
                        add(sent, spanned(step.combineSend(), Span.What.COMBINE_SEND, lane));
                        return spanned(
                            step.combineReceive(sums.get(lane)), Span.What.COMBINE_RECEIVE, lane);
                      }));
            }));
  }

  private static void add(List<Mono<Void>> sent, Mono<Void> half) {
    Mono<Void> begun = StepLoop.begun(half);
    synchronized (sent) {
      sent.add(begun);
    }
  }

  /** Work that takes no time is none. */
  private Mono<Void> work(Span.What what, int lane, long nanos) {
    return nanos == 0
        ? Mono.empty()
        : Mono.defer(() ->
            device
                .work(nanos)
                .doOnSuccess(done -> {
                  long now = SharedClock.nanosNow();
                  add(new Span(what, lane, now - nanos, now));
                }));
  }

  private <T> Mono<T> spanned(Mono<T> half, Span.What what, int lane) {
    return Mono.defer(() -> {
      long from = SharedClock.nanosNow();
      return half.doOnSuccess(done -> add(new Span(what, lane, from, SharedClock.nanosNow())));
    });
  }

  private void add(Span span) {
    synchronized (spans) {
      spans.add(span);
    }
  }
}
