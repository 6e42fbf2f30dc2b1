package io.reactivetransfer.kvcache;

import static io.reactivetransfer.kvcache.TestNode.KEPT;
import static io.reactivetransfer.kvcache.TestNode.PATIENCE;
import static io.reactivetransfer.kvcache.TestNode.await;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Hooks;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/**
 * When the source pages of a hand-over are free that somebody has cancelled, and who hears of it.
 */
@ParameterizedClass
@MethodSource("carriers")
class QuietSourceTest extends HandOverFixture {

  private final Queue<Object> dropped = new ConcurrentLinkedQueue<>();

  @BeforeEach
  void listen() {
    Hooks.onErrorDropped(dropped::add);
  }

  @AfterEach
  void unlisten() {
    Hooks.resetOnErrorDropped();
  }

  @Test
  void whatWasNotHandedOverIsQuiet() {
    CompletableFuture<KvArrival> arrival = decode.receive(order(), KEPT).toFuture();
    KvRequest request = nextRequest();
    request.quiet().block(PATIENCE);
    await(prefill.refuse(request, "no").then(Mono.just(true)));
    request.quiet().block(PATIENCE);
    failureOf(arrival);
  }

  @Test
  void aHandOverIsQuietWhenItHasEndedAndNotBefore() {
    decode.receive(order(), KEPT).subscribe(KvArrival::release);
    KvRequest request = nextRequest();
    List<Boolean> quietBefore = new ArrayList<>();
    CompletableFuture<Void> quiet = new CompletableFuture<>();
    int last = LAYOUT.layers() - 1;
    // The last one waits for the signals of those before: all may be written before one is heard.
    Sinks.Empty<FinishedLayer> othersAreWritten = Sinks.empty();
    handOver(
            request,
            allLayers(request)
                .take(last)
                .concatWith(othersAreWritten.asMono())
                .concatWith(allLayers(request).skip(last)))
        .doOnSubscribe(begun -> request.quiet().toFuture().thenAccept(quiet::complete))
        .doOnNext(written -> {
          if (quietBefore.size() < last) {
            quietBefore.add(quiet.isDone());
          }
          if (quietBefore.size() == last) {
            othersAreWritten.tryEmitEmpty();
          }
        })
        .doOnComplete(() -> quietBefore.add(!request.quiet().toFuture().isDone()))
        .then()
        .block(PATIENCE);
    assertThat(quietBefore).hasSize(last + 1).containsOnly(false);
    requireSettled();
  }

  @Test
  void aCancelledHandOverIsQuietWhateverElseRunsInTheRegion() {
    CompletableFuture<KvArrival> other = decode.receive(order(), KEPT).toFuture();
    KvRequest busy = nextRequest();
    Disposable running =
        handOver(busy, allLayers(busy).take(2).concatWith(Flux.never()))
            .subscribe(w -> {}, e -> {});
    CompletableFuture<KvArrival> arrival = decode.receive(order(), KEPT).toFuture();
    KvRequest request = nextRequest();
    Disposable cancelled =
        handOver(request, allLayers(request).take(3).concatWith(Flux.never())).subscribe();
    Mono<Void> quiet = request.quiet();
    assertThat(quiet.toFuture()).isNotDone();
    cancelled.dispose();
    quiet.block(PATIENCE);
    assertThat(busy.quiet().toFuture()).isNotDone();
    running.dispose();
    busy.quiet().block(PATIENCE);
    failureOf(arrival);
    failureOf(other);
    requireSettled();
  }

  @Test
  void theEndOfTheEngineIsQuiet() {
    decode.receive(order(), KEPT).subscribe(arrived -> {}, failed -> {});
    KvRequest request = nextRequest();
    Disposable cancelled =
        handOver(request, allLayers(request).take(1).concatWith(Flux.never())).subscribe();
    CompletableFuture<Void> quiet = request.quiet().toFuture();
    prefillNode.engine.close().block(PATIENCE);
    cancelled.dispose();
    Mono.fromFuture(quiet).block(PATIENCE);
    request.quiet().block(PATIENCE);
  }

  /** As often as it takes to meet the moment between the two steps of a cancel. */
  @Test
  void aCancelSignalsNothing() {
    for (int i = 0; i < 100; i++) {
      CompletableFuture<KvArrival> arrival = decode.receive(order(), KEPT).toFuture();
      KvRequest request = nextRequest();
      Disposable running = handOver(request, Flux.never()).subscribe();
      running.dispose();
      request.quiet().block(PATIENCE);
      assertThat(failureOf(arrival).reason()).isEqualTo(HandOverException.Reason.CANCELLED);
      requireSettled();
    }
    assertThat(dropped).isEmpty();
  }
}
