package io.reactivetransfer.simulation.kvcache;

import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.MemorySlice;
import io.reactivetransfer.PageList;
import io.reactivetransfer.kvcache.FinishedLayer;
import io.reactivetransfer.kvcache.KvCache;
import io.reactivetransfer.kvcache.KvPrefill;
import io.reactivetransfer.kvcache.KvRequest;
import io.reactivetransfer.kvcache.KvSpan;
import io.reactivetransfer.kvcache.KvWritten;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** The prefill side of one model on one node, and the application that computes for it. */
final class Serving {

  private static final long MAX_COMPUTE_NANOS = 60_000;

  /** What the application does with a request. */
  private enum Answer {
    HAND_OVER,
    REFUSE,
    THROW,
    END_WITHOUT,
    FAIL_WITHOUT,
    FAIL_HALF_WAY,
    STOP_HALF_WAY,
    HANG
  }

  final KvNode node;
  final String model;
  private final Land source;
  private final Land tails;
  private final int concurrency;
  private final SplittableRandom random;

  Serving(KvNode node, String model, Land source, Land tails, SplittableRandom random) {
    this.node = node;
    this.model = model;
    this.source = source;
    this.tails = tails;
    this.random = random;
    this.concurrency = 1 + random.nextInt(4);
  }

  List<Land> lands() {
    return List.of(source, tails);
  }

  void begin(KvCache cache) {
    KvPrefill opened = cache.prefill(model, source.memory());
    opened
        .serve(concurrency, request -> answer(opened, request))
        .subscribe(new Waiter(node, "service", true));
  }

  private Publisher<?> answer(KvPrefill to, KvRequest request) {
    Trip trip = node.world().trips().get(request.body().getInt());
    trip.requested(node, request);
    request.ended().subscribe(new Waiter(node, "request of order " + trip.number, true));
    Answer answer = draw();
    node.world().referee().note(node.index(), answer.name(), trip.number);
    trip.answered(node, answer != Answer.HAND_OVER);
    return switch (answer) {
      case HAND_OVER -> handOver(to, request, trip, Integer.MAX_VALUE, false);
      case REFUSE -> to.refuse(request, "not today");
      case THROW -> throw new IllegalStateException("the handler breaks down");
      case END_WITHOUT -> Mono.empty();
      case FAIL_WITHOUT -> Mono.error(new IllegalStateException("the model breaks down"));
      case FAIL_HALF_WAY -> handOver(to, request, trip, random.nextInt(3), true);
      case STOP_HALF_WAY ->
          handOver(to, request, trip, Integer.MAX_VALUE, false).take(1 + random.nextInt(3));
      case HANG -> Mono.never();
    };
  }

  private Answer draw() {
    if (random.nextInt(5) > 0) {
      return Answer.HAND_OVER;
    }
    Answer[] all = Answer.values();
    // Who hangs keeps others waiting, and so must not where nothing else goes wrong.
    return all[random.nextInt(all.length - (node.world().forecast().calm() ? 1 : 0))];
  }

  private Flux<KvWritten> handOver(
      KvPrefill to, KvRequest request, Trip trip, int layersUntilFailure, boolean fails) {
    return Flux.defer(() -> {
      Lot pages = request.pages() == 0 ? null : source.take(trip.number, request.span());
      Lot tail = request.wantsTail() ? tails.take(trip.number, Trip.TAIL) : null;
      if ((request.pages() > 0 && pages == null) || (request.wantsTail() && tail == null)) {
        give(pages, tail);
        trip.answered(node, true);
        return to.refuse(request, "no pages are left here").thenMany(Flux.empty());
      }
      if (pages != null) {
        source.fill(pages);
      }
      MemorySlice slice = null;
      if (tail != null) {
        tails.fill(tail);
        int length = 1 + random.nextInt(Math.toIntExact(request.tailBytes()));
        trip.tailWritten(length);
        slice =
            tails
                .strips()
                .getFirst()
                .region()
                .slice((long) tail.pages.get(0) * KvNode.TAIL_BYTES, length);
      }
      Flux<FinishedLayer> layers =
          pages == null ? Flux.empty() : layers(request, layersUntilFailure, fails);
      return handOver(to, request, pages == null ? null : pages.pages, layers, slice)
          .doOnNext(written -> trip.step(Trip.Step.LAYER_SENT))
          .doOnTerminate(() -> give(pages, tail))
          .doOnCancel(() -> giveWhenQuiet(pages, tail));
    });
  }

  private static Flux<KvWritten> handOver(
      KvPrefill to,
      KvRequest request,
      @Nullable PageList pages,
      Flux<FinishedLayer> layers,
      @Nullable MemorySlice tail) {
    if (pages == null && tail != null) {
      return to.handOver(request, tail);
    }
    if (pages == null) {
      throw new IllegalStateException("a request for nothing: " + request);
    }
    return tail == null
        ? to.handOver(request, pages, layers)
        : to.handOver(request, pages, layers, tail);
  }

  private void give(@Nullable Lot pages, @Nullable Lot tail) {
    if (pages != null) {
      source.give(pages);
    }
    if (tail != null) {
      tails.give(tail);
    }
  }

  /** It was cancelled: what was posted is read yet. */
  private void giveWhenQuiet(@Nullable Lot pages, @Nullable Lot tail) {
    Flux.fromStream(Stream.of(source, tails).flatMap(land -> land.strips().stream()))
        .map(Land.Strip::region)
        .flatMap(MemoryRegion::quiesced)
        .subscribe(
            new Waiter(node, "quiescence", true) {
              @Override
              void end(@Nullable Throwable failure) {
                give(pages, tail);
              }
            });
  }

  /** The layers as they are finished: whole or in chunks, in any order, each in its time. */
  private Flux<FinishedLayer> layers(KvRequest request, int untilFailure, boolean fails) {
    List<FinishedLayer> all = new ArrayList<>();
    boolean chunks = random.nextInt(3) == 0;
    for (int layer = source.layout.firstLayer(); layer < source.layout.endLayer(); layer++) {
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
    int page = source.layout.pageTokens();
    long from = span.firstToken();
    while (from < span.end()) {
      long end = Math.min(span.end(), (from / page + 1 + random.nextInt(2)) * page);
      chunks.add(new KvSpan(from, end - from));
      from = end;
    }
    return chunks;
  }
}
