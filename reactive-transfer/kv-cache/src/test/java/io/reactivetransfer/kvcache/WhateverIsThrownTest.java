package io.reactivetransfer.kvcache;

import static io.reactivetransfer.kvcache.TestNode.PATIENCE;
import static io.reactivetransfer.kvcache.TestNode.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.Disposable;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.core.scheduler.Schedulers;

/**
 * Whatever a user's code throws, and wherever: it ends its own only. Reactor hands some of it, a
 * missing class for instance, to nobody's {@code onError} but throws it through all operators.
 */
@ParameterizedClass
@MethodSource("carriers")
class WhateverIsThrownTest extends HandOverFixture {

  /** In a usual build one that Reactor passes on, and one that it throws, as it does the others. */
  static Stream<Thrown> kinds() {
    return Integer.getInteger("reactivetransfer.rounds", 1) > 1
        ? Stream.of(Thrown.values())
        : Stream.of(Thrown.EXCEPTION, Thrown.LINKAGE);
  }

  /** Long enough for who is told, and short for who is not. */
  private static final Duration SOON = Duration.ofSeconds(20);

  enum Thrown {
    EXCEPTION(new IllegalStateException("thrown")),
    LINKAGE(new NoClassDefFoundError("thrown")),
    STACK(new StackOverflowError("thrown")),
    MEMORY(new OutOfMemoryError("thrown"));

    final Throwable failure;

    Thrown(Throwable failure) {
      this.failure = failure;
    }

    <T> T raise() {
      return Thrown.<T, RuntimeException>undeclared(failure);
    }

    @SuppressWarnings("unchecked") // whatever it is
    private static <T, E extends Throwable> T undeclared(Throwable failure) throws E {
      throw (E) failure;
    }

    /** A publisher that throws when somebody subscribes. */
    <T> Publisher<T> raisingAtSubscribe() {
      return subscriber -> raise();
    }

    /** A publisher that throws when it is asked for something. */
    <T> Publisher<T> raisingAtRequest() {
      return subscriber ->
          subscriber.onSubscribe(
              new Subscription() {
                @Override
                public void request(long n) {
                  raise();
                }

                @Override
                public void cancel() {}
              });
    }

    /** A publisher that emits nothing, and throws when it is cancelled. */
    <T> Publisher<T> raisingAtCancel(Runnable begun) {
      return subscriber ->
          subscriber.onSubscribe(
              new Subscription() {
                @Override
                public void request(long n) {
                  begun.run();
                }

                @Override
                public void cancel() {
                  raise();
                }
              });
    }
  }

  /** Throws at its end, with nothing of Reactor's in between. */
  private static final class Raising<T> implements CoreSubscriber<T> {
    private final Thrown thrown;
    private final AtomicInteger ends = new AtomicInteger();

    Raising(Thrown thrown) {
      this.thrown = thrown;
    }

    @Override
    public void onSubscribe(Subscription subscription) {
      subscription.request(Long.MAX_VALUE);
    }

    @Override
    public void onNext(T element) {}

    @Override
    public void onError(Throwable failure) {
      onComplete();
    }

    @Override
    public void onComplete() {
      ends.incrementAndGet();
      thrown.raise();
    }
  }

  private void serveAll() {
    prefill.serve(8, request -> handOver(request, allLayers(request))).subscribe();
  }

  /** One more hand-over goes well: whoever reads messages goes on, on both sides. */
  private void requireServed() {
    awaitRoom();
    assertThat(decode.receive(order(SOON), arrival -> Mono.just("arrived")).block(PATIENCE))
        .isEqualTo("arrived");
  }

  /** One more hand-over is refused, of which decode hears by a message. */
  private void requireRefused() {
    awaitRoom();
    CompletableFuture<?> refused = decode.receive(order(SOON), TestNode.KEPT).toFuture();
    await(prefill.refuse(nextRequest(), "no").thenReturn(true));
    assertThat(failureOf(refused).reason()).isEqualTo(HandOverException.Reason.REFUSED);
  }

  private static Throwable endOf(CompletableFuture<?> future) {
    Throwable end = catchThrowable(() -> future.get(SOON.toSeconds(), TimeUnit.SECONDS));
    assertThat(end).as("an error, in time").isInstanceOf(ExecutionException.class);
    return end.getCause();
  }

  // ---- decode ----

  @ParameterizedTest
  @MethodSource("kinds")
  void ofWhoMakesAnOrderIsTheErrorOfThatHandOver(Thrown thrown) {
    Supplier<KvOrder> order = thrown::raise;
    CompletableFuture<?> end =
        decode.receive(order, TestNode.KEPT).subscribeOn(Schedulers.boundedElastic()).toFuture();
    assertThat(endOf(end)).isSameAs(thrown.failure);
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void ofWhatUsesAnArrivalEndsThatHandOver(Thrown thrown) {
    serveAll();
    for (Function<KvArrival, Mono<String>> use :
        List.<Function<KvArrival, Mono<String>>>of(
            arrival -> thrown.raise(),
            arrival -> Mono.fromCallable(thrown::raise),
            arrival -> Mono.just(1).map(x -> thrown.raise()),
            arrival -> Mono.fromDirect(thrown.raisingAtSubscribe()),
            arrival -> Mono.fromDirect(thrown.raisingAtRequest()))) {
      assertThat(endOf(decode.receive(order(), use).toFuture())).isSameAs(thrown.failure);
      assertThat(pool.free()).isEqualTo(24);
    }
    requireServed();
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void ofWhatUsesAnArrivalAndIsAskedLaterEndsThatHandOver(Thrown thrown) throws Exception {
    serveAll();
    CountDownLatch used = new CountDownLatch(1);
    CompletableFuture<Throwable> end = new CompletableFuture<>();
    BaseSubscriber<Object> later =
        new BaseSubscriber<>() {
          @Override
          protected void hookOnSubscribe(Subscription subscription) {}

          @Override
          protected void hookOnError(Throwable failure) {
            end.complete(failure);
          }
        };
    decode
        .receive(
            order(),
            arrival ->
                Mono.fromDirect(thrown.raisingAtRequest()).doOnSubscribe(s -> used.countDown()))
        .subscribe(later);
    assertThat(used.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
    catchThrowable(() -> later.request(1));
    assertThat(end.get(SOON.toSeconds(), TimeUnit.SECONDS)).isSameAs(thrown.failure);
    assertThat(pool.free()).isEqualTo(24);
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void ofWhatUsesAnArrivalAndIsCancelledGivesThePagesBack(Thrown thrown) throws Exception {
    serveAll();
    CountDownLatch used = new CountDownLatch(1);
    var subscription =
        decode
            .receive(order(), arrival -> Mono.fromDirect(thrown.raisingAtCancel(used::countDown)))
            .subscribe();
    assertThat(used.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
    assertThat(pool.free()).isEqualTo(16);
    catchThrowable(subscription::dispose);
    await().atMost(PATIENCE).until(() -> pool.free() == 24);
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void ofWhoGetsWhatWasReceivedEndsHim(Thrown thrown) {
    serveAll();
    CompletableFuture<?> end =
        decode.receive(order(), arrival -> Mono.just(1)).map(x -> thrown.raise()).toFuture();
    assertThat(endOf(end)).isSameAs(thrown.failure);
    assertThat(pool.free()).isEqualTo(24);
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void ofWhoHearsOfARefusalLeavesTheOthersTheirMessages(Thrown thrown) {
    Raising<KvArrival> raising = new Raising<>(thrown);
    decode.receive(order(), TestNode.KEPT).subscribe(raising);
    await(prefill.refuse(nextRequest(), "no").thenReturn(true));
    await().atMost(PATIENCE).until(() -> raising.ends.get() == 1);
    requireRefused();
    requireSettled();
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void ofWhoIsGivenASubscriptionCostsNoPages(Thrown thrown) {
    serveAll();
    AtomicBoolean told = new AtomicBoolean();
    BaseSubscriber<Object> raising =
        new BaseSubscriber<>() {
          @Override
          protected void hookOnSubscribe(Subscription subscription) {
            thrown.raise();
          }

          @Override
          protected void hookOnError(Throwable failure) {
            told.set(true);
          }
        };
    catchThrowable(() -> decode.receive(order(), arrival -> Mono.just(1)).subscribe(raising));
    catchThrowable(() ->
        decode
            .receive(order(), arrival -> Mono.just(1))
            .doOnSubscribe(s -> thrown.raise())
            .subscribe(x -> {}, e -> {}));
    await().atMost(PATIENCE).until(() -> pool.free() == 24 && told.get());
    requireServed();
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void ofWhoWaitsUntilPagesAreBackLeavesNobodyElseWaiting(Thrown thrown) throws Exception {
    Sinks.Empty<Void> silence = Sinks.empty();
    var subscription = decode.receive(order(), TestNode.KEPT).subscribe();
    KvRequest request = nextRequest();
    CompletableFuture<?> writes =
        handOver(request, silence.asMono().cast(FinishedLayer.class).flux()).then().toFuture();
    // Prefill has something in hand, so that its answer takes a message of its own.
    subscription.dispose();
    Raising<Void> raising = new Raising<>(thrown);
    catchThrowable(() -> decode.settled().subscribe(raising));
    CompletableFuture<Void> other = decode.settled().toFuture();
    other.get(SOON.toSeconds(), TimeUnit.SECONDS);
    failureOf(writes);
    requireRefused();
    requireSettled();
  }

  // ---- prefill ----

  @ParameterizedTest
  @MethodSource("kinds")
  void ofAHandlerRefusesThatRequestAlone(Thrown thrown) {
    Queue<Function<KvRequest, Publisher<?>>> wrong =
        new ConcurrentLinkedQueue<>(
            List.of(
                request -> thrown.raise(),
                request -> Mono.fromCallable(thrown::raise),
                request -> Flux.range(0, 3).map(x -> thrown.raise()),
                request -> thrown.raisingAtSubscribe(),
                request -> thrown.raisingAtRequest()));
    int requests = wrong.size();
    var service =
        prefill
            .serve(
                8,
                request ->
                    wrong.isEmpty()
                        ? handOver(request, allLayers(request))
                        : wrong.remove().apply(request))
            .subscribe();
    for (int i = 0; i < requests; i++) {
      awaitRoom();
      HandOverException failure = failureOf(decode.receive(order(SOON), TestNode.KEPT).toFuture());
      assertThat(failure.reason()).isEqualTo(HandOverException.Reason.REFUSED);
      assertThat(failure).hasMessageContaining("prefill failed: thrown");
    }
    requireServed();
    assertThat(service.isDisposed()).isFalse();
    requireSettled();
  }

  @Test
  void anExceptionThatCannotSayWhatItIsRefusesItsRequestAlone() {
    AtomicBoolean first = new AtomicBoolean(true);
    prefill
        .serve(
            8,
            request -> {
              if (first.getAndSet(false)) {
                throw new Unspeakable();
              }
              return handOver(request, allLayers(request));
            })
        .subscribe();
    HandOverException failure = failureOf(decode.receive(order(SOON), TestNode.KEPT).toFuture());
    assertThat(failure).hasMessageContaining("prefill failed: Unspeakable");
    requireServed();
  }

  private static final class Unspeakable extends RuntimeException {
    private static final long serialVersionUID = 1L;

    @Override
    public String getMessage() {
      throw new NoClassDefFoundError("of the words");
    }
  }

  /** On a thread of its own: Reactor tells nobody but its log. */
  @Test
  void aHandlerOfWhichNothingIsHeardHoldsItsPlaceNoLongerThanItsRequest() {
    AtomicInteger begun = new AtomicInteger();
    AtomicInteger cancelled = new AtomicInteger();
    prefill
        .serve(
            8,
            request ->
                begun.getAndIncrement() > 0
                    ? handOver(request, allLayers(request))
                    : Mono.fromCallable(Thrown.LINKAGE::raise)
                        .subscribeOn(Schedulers.boundedElastic())
                        .doOnCancel(cancelled::incrementAndGet))
        .subscribe();
    HandOverException failure =
        failureOf(decode.receive(order(Duration.ofSeconds(8)), TestNode.KEPT).toFuture());
    // Whichever of the two clocks was first.
    assertThat(failure.reason())
        .isIn(HandOverException.Reason.DEADLINE, HandOverException.Reason.REFUSED);
    await().atMost(SOON).until(() -> cancelled.get() == 1);
    requireServed();
    assertThat(cancelled).hasValue(1);
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void ofWhoReadsRequestsEndsThatSubscription(Thrown thrown) {
    CompletableFuture<?> end =
        prefill.requests().doOnNext(request -> thrown.raise()).then().toFuture();
    Disposable order = decode.receive(order(), TestNode.KEPT).subscribe(x -> {}, e -> {});
    assertThat(endOf(end)).isSameAs(thrown.failure);
    order.dispose();
    serveAll();
    requireServed();
    await().atMost(PATIENCE).until(() -> pool.free() == 24);
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void ofTheModelEndsItsHandOver(Thrown thrown) {
    for (Publisher<FinishedLayer> layers :
        List.<Publisher<FinishedLayer>>of(
            Flux.defer(thrown::raise),
            Flux.range(0, 5).map(layer -> thrown.raise()),
            thrown.raisingAtSubscribe(),
            thrown.raisingAtRequest())) {
      CompletableFuture<?> arrival = decode.receive(order(), TestNode.KEPT).toFuture();
      KvRequest request = nextRequest();
      HandOverException atPrefill =
          failureOf(handOver(request, Flux.from(layers)).then().toFuture());
      assertThat(atPrefill).hasCause(thrown.failure);
      assertThat(failureOf(arrival).reason()).isEqualTo(HandOverException.Reason.FAILED);
      requireSettled();
    }
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void ofTheModelThatIsStoppedHoldsNoPages(Thrown thrown) throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    var subscription = decode.receive(order(), TestNode.KEPT).subscribe();
    KvRequest request = nextRequest();
    CompletableFuture<?> writes =
        prefill
            .handOver(
                request,
                sourcePages(),
                thrown.raisingAtCancel(begun::countDown),
                prefillNode.tailRegion.slice(0, 1))
            .then()
            .toFuture();
    assertThat(begun.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
    subscription.dispose();
    decode.settled().block(SOON);
    assertThat(failureOf(writes).reason()).isEqualTo(HandOverException.Reason.CANCELLED);
    requireSettled();
    requireRefused();
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void ofWhoWatchesAHandOverEndsIt(Thrown thrown) {
    CompletableFuture<?> arrival = decode.receive(order(), TestNode.KEPT).toFuture();
    KvRequest request = nextRequest();
    CompletableFuture<?> writes =
        handOver(request, allLayers(request).take(2).concatWith(Flux.never()))
            .doOnNext(written -> thrown.raise())
            .then()
            .toFuture();
    assertThat(endOf(writes)).isSameAs(thrown.failure);
    assertThat(failureOf(arrival).reason()).isEqualTo(HandOverException.Reason.CANCELLED);
    requireSettled();
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void ofWhoHearsTheEndOfHandOversLeavesTheOthers(Thrown thrown) {
    for (int i = 0; i < 2; i++) {
      var subscription = decode.receive(order(), TestNode.KEPT).subscribe();
      Raising<KvWritten> raising = new Raising<>(thrown);
      handOver(nextRequest(), Flux.never()).subscribe(raising);
      subscription.dispose();
      await().atMost(PATIENCE).until(() -> raising.ends.get() == 1);
      requireSettled();
    }
    serveAll();
    requireServed();
  }
}
