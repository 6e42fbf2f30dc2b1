package io.reactivetransfer.kvcache;

import static io.reactivetransfer.kvcache.TestNode.KEPT;
import static io.reactivetransfer.kvcache.TestNode.PATIENCE;
import static io.reactivetransfer.kvcache.TestNode.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.reactivetransfer.PageList;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/** Requests that wait, and those that are over before their turn. */
@ParameterizedClass
@MethodSource("carriers")
class ServingTest extends HandOverFixture {

  private KvOrder numbered(int number) {
    return KvOrder.into(peer(), pool.reserve(1))
        .deadline(PATIENCE)
        .body(ByteBuffer.allocate(4).putInt(0, number))
        .build();
  }

  private Flux<KvWritten> onePage(KvRequest request) {
    return prefill.handOver(request, PageList.of(3), allLayers(request));
  }

  @Test
  void moreThanAreServedAtOnceWaitAndAreNotRefused() {
    AtomicInteger now = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    prefill
        .serve(
            2,
            request -> {
              most.accumulateAndGet(now.incrementAndGet(), Math::max);
              return Mono.delay(Duration.ofMillis(5))
                  .thenMany(onePage(request))
                  .doOnTerminate(now::decrementAndGet);
            })
        .subscribe();
    Mono<List<Long>> all =
        Flux.range(0, 24)
            .flatMap(i -> decode.receive(numbered(i), come -> Mono.just(come.arrivals())), 24)
            .collectList();
    assertThat(await(all)).hasSize(24).containsOnly(5L);
    assertThat(most).hasValue(2);
    requireSettled();
  }

  @Test
  void aRefusalThatWasBegunIsSaidThoughNobodyWaitsForItAnyMore() {
    for (int i = 0; i < 100; i++) {
      CompletableFuture<KvArrival> arrival = decode.receive(numbered(i), KEPT).toFuture();
      prefill.refuse(nextRequest(), "no").subscribe().dispose();
      assertThat(failureOf(arrival).reason()).isEqualTo(HandOverException.Reason.REFUSED);
    }
    requireSettled();
  }

  /** A message without a text would reach nobody, and decode would wait for another one. */
  @Test
  void aRefusalWithoutAReasonIsAnErrorOfTheHandlerThatDecodeHearsOf() {
    prefill.serve(1, request -> prefill.refuse(request, null)).subscribe();
    HandOverException refused = failureOf(decode.receive(numbered(1), KEPT).toFuture());
    assertThat(refused.reason()).isEqualTo(HandOverException.Reason.REFUSED);
    assertThat(refused).hasMessageContaining("reason");
    requireSettled();
  }

  @Test
  void moreThanAreKeptHereWaitAtTheirSenders() {
    int orders = 2 * WaitingRoom.MAX_OF_ONE + 176;
    AtomicInteger quiet = new AtomicInteger();
    Queue<Throwable> failed = new ConcurrentLinkedQueue<>();
    List<Disposable> running = new ArrayList<>();
    for (int i = 0; i < orders; i++) {
      KvOrder order =
          KvOrder.into(peer(), PageList.of(i % 24), quiet::incrementAndGet)
              .deadline(PATIENCE)
              .build();
      running.add(decode.receive(order, KEPT).subscribe(come -> {}, failed::add));
    }
    assertThat(nextRequest()).isNotNull();
    assertThat(failed).isEmpty();
    running.forEach(Disposable::dispose);
    await().atMost(PATIENCE).until(() -> quiet.get() == orders);
    assertThat(failed).isEmpty();
    // And there is room again.
    CompletableFuture<KvArrival> one = decode.receive(numbered(7), KEPT).toFuture();
    KvRequest request = nextRequest();
    assertThat(request.body().getInt()).isEqualTo(7);
    onePage(request).subscribe();
    one.join().release();
    requireSettled();
  }

  @Test
  void whatDecodeCancelsIsStoppedBeforeItIsAnswered() {
    Queue<KvRequest> ended = new ConcurrentLinkedQueue<>();
    AtomicInteger begun = new AtomicInteger();
    AtomicInteger stopped = new AtomicInteger();
    prefill
        .serve(
            1,
            request -> {
              begun.incrementAndGet();
              request.ended().subscribe(null, null, () -> ended.add(request));
              return Mono.never().doOnCancel(stopped::incrementAndGet);
            })
        .subscribe();
    Disposable first = decode.receive(numbered(1), KEPT).subscribe(come -> {}, failed -> {});
    // One that waits for the layout of prefill may be overtaken by those that begin later.
    await().atMost(PATIENCE).until(() -> begun.get() == 1);
    Disposable second = decode.receive(numbered(2), KEPT).subscribe(come -> {}, failed -> {});
    first.dispose();
    await().atMost(PATIENCE).until(() -> begun.get() == 2);
    assertThat(stopped).hasValue(1);
    second.dispose();
    await().atMost(PATIENCE).until(() -> stopped.get() == 2 && ended.size() == 2);
    requireSettled();
  }

  @Test
  void aRequestIsOverHoweverItEnds() throws InterruptedException {
    for (int kind = 0; kind < 5; kind++) {
      Sinks.Many<FinishedLayer> layers = Sinks.many().unicast().onBackpressureBuffer();
      CountDownLatch over = new CountDownLatch(1);
      Duration deadline = kind == 3 ? Duration.ofSeconds(5) : PATIENCE;
      KvOrder order = KvOrder.into(peer(), pool.reserve(1)).deadline(deadline).build();
      Disposable running =
          decode
              .receive(order, KEPT)
              .doOnTerminate(over::countDown)
              .doOnCancel(over::countDown)
              .subscribe(k -> k.release(), failed -> {});
      KvRequest request = nextRequest();
      CompletableFuture<Void> ended = request.ended().toFuture();
      assertThat(ended).isNotDone();
      if (kind != 3) {
        prefill
            .handOver(request, PageList.of(3), layers.asFlux())
            .subscribe(written -> {}, failed -> {});
      }
      switch (kind) {
        case 0 ->
            allLayers(request).subscribe(layers::tryEmitNext, e -> {}, layers::tryEmitComplete);
        case 1 -> running.dispose();
        case 2 -> layers.tryEmitError(new IllegalStateException("of the model"));
        case 3 -> assertThat(deadline).isPositive(); // its time will be over
        default -> decodeNode.engine.close().block(PATIENCE);
      }
      await(Mono.fromFuture(ended).thenReturn(1));
      // Its time is over on both sides at once, and this may be the second one.
      assertThat(over.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
      if (kind < 4) {
        requireSettled();
      }
    }
  }

  @Test
  void whatWaitsIsRefusedWhenPrefillIsDisposedOf() {
    AtomicInteger begun = new AtomicInteger();
    prefill
        .serve(1, request -> Mono.never().doOnSubscribe(s -> begun.incrementAndGet()))
        .subscribe();
    List<CompletableFuture<KvArrival>> all = new ArrayList<>();
    all.add(decode.receive(numbered(0), KEPT).toFuture());
    // One that waits for the layout of prefill may be overtaken by those that begin later.
    await().atMost(PATIENCE).until(() -> begun.get() == 1);
    for (int i = 1; i < 4; i++) {
      all.add(decode.receive(numbered(i), KEPT).toFuture());
    }
    decode.receive(numbered(5), KEPT).subscribe(come -> {}, failed -> {}).dispose();
    await().atMost(PATIENCE).until(() -> prefill.waiting() == 3);
    prefill.dispose();
    for (CompletableFuture<KvArrival> refused : all.subList(1, 4)) {
      assertThat(failureOf(refused).reason()).isEqualTo(HandOverException.Reason.REFUSED);
    }
    KvPrefill next = prefillNode.prefill(); // it is nobody's any more
    next.serve(1, request -> next.refuse(request, "by the next")).subscribe();
    assertThat(failureOf(decode.receive(numbered(6), KEPT).toFuture()))
        .hasMessageContaining("by the next");
    prefillNode.engine.close().block(PATIENCE);
    assertThat(failureOf(all.getFirst()).reason())
        .isIn(HandOverException.Reason.PEER_LOST, HandOverException.Reason.FAILED);
    requireSettled();
  }

  @Test
  void servingNothingAtOnceIsRefused() {
    assertThatThrownBy(() -> prefill.serve(0, request -> Mono.empty()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("expected to serve 1 or more requests at once, got 0");
  }

  @Test
  void aWatchedWordDrivesTheLayers() {
    MemorySegment word = prefillNode.tails.asSlice(64, 8);
    CompletableFuture<Void> arrived =
        decode.receive(numbered(1), come -> Mono.<Void>empty()).toFuture();
    KvRequest request = nextRequest();
    word.set(ValueLayout.JAVA_LONG, 0, 2); // before it is watched
    Flux<FinishedLayer> layers = prefill.watched(request, word);
    CompletableFuture<List<KvWritten>> writes =
        prefill.handOver(request, PageList.of(3), layers).collectList().toFuture();
    await().atMost(PATIENCE).until(() -> decodeNode.engine.stats().arrivals() == 2);
    word.set(ValueLayout.JAVA_LONG, 0, 5);
    assertThat(writes.join()).hasSize(5);
    arrived.join();
    requireSettled();
  }
}
