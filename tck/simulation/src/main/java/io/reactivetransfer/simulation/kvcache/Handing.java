package io.reactivetransfer.simulation.kvcache;

import io.reactivetransfer.MemorySlice;
import io.reactivetransfer.kvcache.FinishedLayer;
import io.reactivetransfer.kvcache.KvPrefill;
import io.reactivetransfer.kvcache.KvRequest;
import io.reactivetransfer.kvcache.KvSpan;
import io.reactivetransfer.kvcache.KvWritten;
import io.reactivetransfer.simulation.Referee;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * One hand-over on the prefill side: computes the layers, and looks at what it is told is done.
 * Each layer and the tail are done once, and not before NICs have read them.
 */
final class Handing {

  private static final long MAX_COMPUTE_NANOS = 60_000;

  private final Serving serving;
  private final KvNode node;
  private final Referee referee;
  private final Trip trip;
  private final KvRequest request;
  private final SplittableRandom random;
  private final @Nullable Lot pages;
  private final @Nullable Lot tail;
  private final @Nullable MemorySlice slice;

  /** What was computed, and is not done yet. */
  private final List<FinishedLayer> out = new ArrayList<>();

  private boolean layersComplete;
  private boolean tailDone;

  /**
   * With pages that are its alone.
   *
   * @param pages null if a tail alone is wanted
   * @param tail null if none is wanted
   */
  Handing(
      Serving serving,
      Trip trip,
      KvRequest request,
      @Nullable Lot pages,
      @Nullable Lot tail,
      SplittableRandom random) {
    this.serving = serving;
    this.node = serving.node;
    this.referee = node.world().referee();
    this.trip = trip;
    this.request = request;
    this.pages = pages;
    this.tail = tail;
    this.random = random;
    if (pages != null) {
      serving.source.fill(pages);
    }
    if (tail == null) {
      slice = null;
    } else {
      serving.tails.fill(tail);
      int length = 1 + random.nextInt(Math.toIntExact(request.tailBytes()));
      trip.pages().tailWritten(length);
      slice = serving.tails.slice(tail, length);
    }
    tailDone = tail == null;
    layersComplete = pages == null;
  }

  /** Whether all that is wanted has gone out. */
  boolean isThrough() {
    return layersComplete && out.isEmpty() && tailDone;
  }

  /**
   * Begins, on subscribe.
   *
   * @param untilFailure after so many layers, if it fails at all
   */
  Flux<KvWritten> start(KvPrefill to, int untilFailure, boolean fails) {
    trip.books().begins(node);
    return node.world()
        .tampering()
        .handedOver(handOver(to, untilFailure, fails))
        .doOnNext(this::written)
        .doOnComplete(this::completed)
        .doOnTerminate(this::give)
        .doOnCancel(this::giveWhenQuiet);
  }

  private Flux<KvWritten> handOver(KvPrefill to, int untilFailure, boolean fails) {
    if (pages == null) {
      if (slice == null) {
        throw new IllegalStateException("a request for nothing: " + request);
      }
      return to.handOver(request, slice);
    }
    Flux<FinishedLayer> layers =
        layers(untilFailure, fails).doOnNext(out::add).doOnComplete(() -> layersComplete = true);
    return slice == null
        ? to.handOver(request, pages.pages, layers)
        : to.handOver(request, pages.pages, layers, slice);
  }

  private void written(KvWritten written) {
    switch (written) {
      case KvWritten.Layer layer -> {
        referee.require(
            out.remove(new FinishedLayer(layer.layer(), layer.span())),
            layer + " of " + trip + " is done, and was not computed, or was done before");
        requireWritten(layer);
      }
      case KvWritten.Tail last -> {
        referee.require(!tailDone, "the tail of " + trip + " is done twice, or not wanted");
        tailDone = true;
      }
    }
    trip.step(TripPlan.Step.LAYER_SENT);
  }

  private void requireWritten(KvWritten.Layer layer) {
    Lot from = pages;
    if (from == null) {
      return;
    }
    String why = layer + " of " + trip + " has gone out";
    serving.source.requireRead(from, layer.layer(), layer.span(), why);
    Lot to = trip.pages().pages();
    if (to != null && !trip.isEnded() && !node.world().forecast().weather().sourceFree()) {
      Land target = trip.decoding.target;
      target.requireFrom(serving.source.layout, to, layer.layer(), layer.span(), why);
    }
  }

  private void completed() {
    referee.require(
        isThrough(), "a hand-over of " + trip + " has completed, and these are not done: " + out);
    trip.books().handed(node);
  }

  private void give() {
    if (pages != null) {
      serving.source.give(pages);
    }
    if (tail != null) {
      serving.tails.give(tail);
    }
  }

  /** It was cancelled: what was posted is read yet. */
  private void giveWhenQuiet() {
    node.world()
        .tampering()
        .quiet(request.quiet())
        .subscribe(
            new Waiter(node, "quiescence", true) {
              @Override
              void end(@Nullable Throwable failure) {
                give();
              }
            });
  }

  /** The layers as they are finished: whole or in chunks, in any order, each in its time. */
  private Flux<FinishedLayer> layers(int untilFailure, boolean fails) {
    List<FinishedLayer> all = new ArrayList<>();
    boolean chunks = random.nextInt(3) == 0;
    for (int layer = serving.source.layout.firstLayer();
        layer < serving.source.layout.endLayer();
        layer++) {
      if (chunks) {
        for (KvSpan chunk : chunks(request.span())) {
          all.add(new FinishedLayer(layer, chunk));
        }
      } else {
        all.add(FinishedLayer.whole(layer, request));
      }
    }
    if (random.nextInt(3) == 0) {
      for (int i = all.size(); i > 1; i--) {
        all.add(all.remove(random.nextInt(i)));
      }
    }
    Flux<FinishedLayer> finished =
        fails
            ? Flux.fromIterable(all.subList(0, Math.min(untilFailure, all.size())))
                .concatWith(Flux.error(new IllegalStateException("a layer breaks down")))
            : Flux.fromIterable(all);
    long most = random.nextInt(4) == 0 ? 10 * MAX_COMPUTE_NANOS : MAX_COMPUTE_NANOS;
    return switch (random.nextInt(3)) {
      case 0 -> finished;
      case 1 -> finished.publishOn(node.scheduler(), 1);
      default ->
          finished.concatMap(layer ->
              Mono.delay(Duration.ofNanos(random.nextLong(most)), node.scheduler())
                  .thenReturn(layer));
    };
  }

  private List<KvSpan> chunks(KvSpan span) {
    List<KvSpan> chunks = new ArrayList<>();
    int page = serving.source.layout.pageTokens();
    long from = span.firstToken();
    while (from < span.end()) {
      long end = Math.min(span.end(), (from / page + 1 + random.nextInt(2)) * page);
      chunks.add(new KvSpan(from, end - from));
      from = end;
    }
    return chunks;
  }
}
