package io.reactivetransfer.kvcache;

import static io.reactivetransfer.kvcache.TestNode.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import io.reactivetransfer.PageList;
import io.reactivetransfer.Peer;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.test.scheduler.VirtualTimeScheduler;

/** Orders of whichever prefill node is there. */
@Timeout(60)
class KvRouterTest {

  private static final KvLayout LAYOUT = KvLayout.opaque(2, 16, 64);
  private static final int PAGES = 4;

  private final TestNode decodeNode = new TestNode("loopback", LAYOUT);
  private final ToldEvents told = new ToldEvents();
  private final KvDecode decode =
      decodeNode
          .open(KvCacheOptions.builder().recorder(told).build())
          .decode(TestNode.MODEL, decodeNode.memory);
  private final PagePool pool = PagePool.of(PageList.range(0, 16));
  private final List<Prefill> prefills = new ArrayList<>();
  private final Sinks.Many<List<Peer>> known = Sinks.many().multicast().directBestEffort();
  private KvRouter router = KvRouter.open(decode, known.asFlux());

  /** A node that does what it is told with each request, and has seen them all. */
  private final class Prefill {

    final TestNode node = new TestNode("loopback", LAYOUT);
    final KvPrefill prefill = node.prefill();
    final List<KvRequest> requests = new CopyOnWriteArrayList<>();

    Prefill(Function<Prefill, Function<KvRequest, Flux<KvWritten>>> what) {
      Function<KvRequest, Flux<KvWritten>> handler = what.apply(this);
      prefill
          .serve(
              16,
              request -> {
                requests.add(request);
                return handler.apply(request);
              })
          .subscribe();
      prefills.add(this);
    }

    Flux<KvWritten> handOver(KvRequest request) {
      return prefill.handOver(
          request,
          PageList.range(0, PAGES),
          Flux.range(0, 2).map(layer -> FinishedLayer.whole(layer, request)));
    }

    void close() {
      if (!node.engine.isClosed()) {
        node.close();
      }
    }

    Peer peer() {
      return node.seenFrom(decodeNode);
    }
  }

  /** On a clock that stands still unless the test says how late it is. */
  private void reopen(VirtualTimeScheduler time) {
    router.dispose();
    decodeNode.cache().dispose();
    decodeNode.cache().closed().block(PATIENCE);
    KvCache cache = decodeNode.open(KvCacheOptions.builder().timers(time).build());
    router = KvRouter.open(cache.decode(TestNode.MODEL, decodeNode.memory), known.asFlux());
  }

  private Prefill thatServes() {
    return new Prefill(self -> self::handOver);
  }

  private Prefill thatWaits() {
    return new Prefill(self -> request -> Flux.never());
  }

  private Prefill thatRefuses() {
    return new Prefill(self -> request -> Flux.error(new IllegalStateException("it is ill")));
  }

  private void thereAre(Prefill... nodes) {
    assertThat(known.tryEmitNext(Flux.fromArray(nodes).map(Prefill::peer).collectList().block()))
        .isEqualTo(Sinks.EmitResult.OK);
  }

  private Mono<String> order(Duration deadline) {
    return router.receive(
        deadline,
        prefill -> KvOrder.into(prefill, pool.reserve(PAGES)),
        arrival -> Mono.just(arrival.pages().size() + " pages"));
  }

  private CompletableFuture<String> order() {
    return order(PATIENCE).toFuture();
  }

  /** One whose end does not matter. */
  private Disposable begun() {
    return order(PATIENCE).onErrorComplete().subscribe();
  }

  private static Throwable errorOf(CompletableFuture<?> future) {
    return future.handle((value, failure) -> failure).orTimeout(20, TimeUnit.SECONDS).join();
  }

  private static HandOverException failureOf(CompletableFuture<?> future) {
    Throwable failure = errorOf(future);
    assertThat(failure).isInstanceOf(HandOverException.class);
    return (HandOverException) failure;
  }

  @AfterEach
  void allPagesComeBack() {
    prefills.forEach(Prefill::close);
    await().atMost(PATIENCE).until(() -> pool.free() == 16);
    router.dispose();
    decodeNode.close();
  }

  @Test
  void eachAttemptIsAnOrderOfTheSameSubscriber() {
    Prefill ill = thatRefuses();
    thereAre(ill);
    CompletableFuture<String> order =
        order(PATIENCE).contextWrite(context -> context.put("caller", "me")).toFuture();
    await().atMost(PATIENCE).until(() -> ill.requests.size() == 1);
    Prefill well = thatServes();
    thereAre(ill, well);
    assertThat(order.orTimeout(20, TimeUnit.SECONDS).join()).isEqualTo("4 pages");
    assertThat(told.orderBegins)
        .allSatisfy(begin -> assertThat(begin.context().<String>get("caller")).isEqualTo("me"))
        .extracting(begin -> begin.order().prefills())
        .containsExactly(List.of(ill.peer()), List.of(well.peer()));
  }

  @Test
  void asksTheOneWithTheFewestOrders() {
    Prefill one = thatWaits();
    Prefill two = thatWaits();
    thereAre(one, two);
    List<Disposable> orders = IntStream.range(0, 4).mapToObj(i -> begun()).toList();
    await().atMost(PATIENCE).until(() -> one.requests.size() + two.requests.size() == 4);
    assertThat(one.requests).hasSize(2);
    orders.get(0).dispose(); // one that the first node has
    await().atMost(PATIENCE).until(() -> pool.free() >= PAGES);
    begun();
    await().atMost(PATIENCE).until(() -> one.requests.size() == 3);
    assertThat(two.requests).hasSize(2);
  }

  @Test
  void anotherOneIsAskedWhenANodeIsLost() {
    Prefill dies = thatWaits();
    Prefill lives = thatServes();
    thereAre(dies);
    CompletableFuture<String> order = order();
    await().atMost(PATIENCE).until(() -> dies.requests.size() == 1);
    thereAre(dies, lives);
    assertThat(order).isNotDone();
    dies.close();
    assertThat(order.join()).isEqualTo("4 pages");
    assertThat(lives.requests).hasSize(1);
  }

  @Test
  void waitsForTheNextOneWhenTheOnlyOneIsLost() {
    Prefill dies = thatWaits();
    thereAre(dies);
    CompletableFuture<String> order = order();
    await().atMost(PATIENCE).until(() -> dies.requests.size() == 1);
    dies.close();
    thereAre();
    Prefill next = thatServes();
    assertThat(order).isNotDone();
    thereAre(next);
    assertThat(order.join()).isEqualTo("4 pages");
  }

  @Test
  void whatAllRefuseIsRefused() {
    Prefill one = thatRefuses();
    Prefill two = thatRefuses();
    assertThat(known.tryEmitNext(List.of(one.peer(), two.peer()))).isEqualTo(Sinks.EmitResult.OK);
    known.tryEmitComplete().orThrow();
    HandOverException failure = failureOf(order());
    assertThat(failure.reason()).isEqualTo(HandOverException.Reason.REFUSED);
    assertThat(failure)
        .hasMessageContaining("it is ill")
        .hasMessageEndingWith("(1 other before it)");
    assertThat(failure.peer()).isEqualTo(two.peer());
    assertThat(failure.getSuppressed())
        .singleElement()
        .isInstanceOfSatisfying(
            HandOverException.class, first -> assertThat(first.peer()).isEqualTo(one.peer()));
  }

  @Test
  void noMoreAreAskedForOneOrderThanWasSaid() {
    router = KvRouter.open(decode, known.asFlux(), 2);
    Prefill[] ill = {thatRefuses(), thatRefuses(), thatRefuses(), thatRefuses()};
    thereAre(ill);
    assertThat(failureOf(order()).reason()).isEqualTo(HandOverException.Reason.REFUSED);
    assertThat(prefills.stream().mapToInt(each -> each.requests.size()).sum()).isEqualTo(2);
  }

  /** It would else have the fewest orders always, since it fails at once. */
  @Test
  void oneThatHasFailedIsAskedLast() {
    reopen(VirtualTimeScheduler.create());
    Prefill ill = thatRefuses();
    Prefill well = thatServes();
    thereAre(ill, well);
    for (int i = 0; i < 3; i++) {
      assertThat(order().join()).isEqualTo("4 pages");
    }
    assertThat(ill.requests).hasSize(1);
  }

  @Test
  void waitsForANodeUntilItsDeadline() {
    CompletableFuture<String> patient = order();
    HandOverException failure = failureOf(order(Duration.ofMillis(20)).toFuture());
    assertThat(failure.reason()).isEqualTo(HandOverException.Reason.DEADLINE);
    assertThat(failure.peer()).isNull();
    assertThat(failure)
        .hasMessage(
            "expected a prefill node for model a model within 20 ms, got none; see which nodes"
                + " there are, and which of them are alive");
    thereAre(thatServes());
    assertThat(patient.join()).isEqualTo("4 pages");
  }

  @Test
  void aDeadlineIsOneForAllThatAreAsked() {
    VirtualTimeScheduler time = VirtualTimeScheduler.create();
    reopen(time);
    Prefill ill = thatRefuses();
    Prefill slow = thatWaits();
    thereAre(ill);
    CompletableFuture<String> order = order(PATIENCE).toFuture();
    await().atMost(PATIENCE).until(() -> ill.requests.size() == 1);
    thereAre(slow);
    await().atMost(PATIENCE).until(() -> slow.requests.size() == 1);
    time.advanceTimeBy(PATIENCE);
    HandOverException failure = failureOf(order);
    assertThat(failure.reason()).isEqualTo(HandOverException.Reason.DEADLINE);
    assertThat(failure.peer()).isEqualTo(slow.peer());
    assertThat(failure).hasMessageEndingWith("(1 other before it)");
  }

  @Test
  void aCancelEndsWhatRunsOrWaits() {
    Disposable waits = begun();
    waits.dispose();
    Prefill node = thatWaits();
    thereAre(node);
    Disposable runs = begun();
    await().atMost(PATIENCE).until(() -> node.requests.size() == 1);
    runs.dispose();
    node.requests.getFirst().ended().block(PATIENCE);
    await().atMost(PATIENCE).until(() -> pool.free() == 16);
    assertThat(node.requests).hasSize(1);
  }

  @Test
  void whatTheScopeEndsWithIsTheEnd() {
    Prefill one = thatServes();
    Prefill two = thatServes();
    thereAre(one, two);
    HandOverException own =
        new HandOverException(HandOverException.Reason.REFUSED, "of the application's own making");
    Mono<Object> order =
        router.receive(
            PATIENCE,
            prefill -> KvOrder.into(prefill, pool.reserve(PAGES)),
            arrival -> Mono.error(own));
    assertThat(catchThrowable(() -> order.block(PATIENCE))).isSameAs(own);
    assertThat(one.requests.size() + two.requests.size()).isEqualTo(1);
  }

  @Test
  void noOrderCanBeMade() {
    thereAre(thatServes());
    IllegalStateException none = new IllegalStateException("no room in the application");
    Mono<Object> order =
        router.receive(
            PATIENCE,
            prefill -> {
              throw none;
            },
            arrival -> Mono.empty());
    assertThat(catchThrowable(() -> order.block(PATIENCE))).isSameAs(none);
  }

  /** Also where it is an exception of the kind that nodes cause. */
  @Test
  void whatIsThrownInsteadOfASecondOrderStaysAsItIs() {
    thereAre(thatRefuses(), thatServes());
    List<Peer> asked = new ArrayList<>();
    HandOverException own = new HandOverException(HandOverException.Reason.REFUSED, "no more");
    Mono<Object> order =
        router.receive(
            PATIENCE,
            prefill -> {
              asked.add(prefill);
              if (asked.size() == 2) {
                throw own;
              }
              return KvOrder.into(prefill, pool.reserve(PAGES));
            },
            arrival -> Mono.empty());
    assertThat(errorOf(order.toFuture())).isSameAs(own);
    assertThat(own.getSuppressed()).isEmpty();
  }

  @Test
  void anErrorOfThoseWhoKnowTheNodesIsTheOrders() {
    IllegalStateException reason = new IllegalStateException("no such table");
    CompletableFuture<String> waits = order();
    thereAre(thatWaits());
    CompletableFuture<String> runs = order();
    CompletableFuture<String> waitsForAnother = order();
    await().atMost(PATIENCE).until(() -> prefills.getFirst().requests.size() == 3);
    prefills.getFirst().close();
    known.tryEmitError(reason).orThrow();
    assertThat(List.of(errorOf(waits), errorOf(runs), errorOf(waitsForAnother)))
        .allMatch(each -> each == reason || each instanceof HandOverException);
    assertThat(errorOf(order())).as("of one that looks for a node from then on").isSameAs(reason);
  }

  @Test
  void theEndOfTheDecodeSideEndsThoseWhoWait() {
    Prefill busy = thatWaits();
    thereAre(busy);
    Disposable runs = begun();
    await().atMost(PATIENCE).until(() -> busy.requests.size() == 1);
    thereAre();
    CompletableFuture<String> waits = order();
    decode.dispose();
    runs.dispose();
    assertThat(errorOf(waits))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("expected a KvDecode that is in use, got one that was disposed of");
  }

  @Test
  void theEndOfTheEngineEndsThoseWhoWait() {
    CompletableFuture<String> waits = order();
    decodeNode.engine.close().block(PATIENCE);
    assertThat(failureOf(waits)).hasMessage("this node's own engine is closed");
  }

  @Test
  void oneThatRunsWhenItIsDisposedOfEndsAsItsNodeDoes() {
    Prefill node = thatWaits();
    thereAre(node);
    CompletableFuture<String> runs = order();
    await().atMost(PATIENCE).until(() -> node.requests.size() == 1);
    router.dispose();
    assertThat(runs).isNotDone();
    node.close();
    assertThat(failureOf(runs).reason()).isEqualTo(HandOverException.Reason.PEER_LOST);
  }

  @Test
  void afterItWasDisposedOfNobodyIsAsked() {
    Prefill node = thatWaits();
    CompletableFuture<String> waits = order();
    router.dispose();
    assertThat(router.isDisposed()).isTrue();
    assertThat(errorOf(waits))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("expected a KvRouter that is in use, got one disposed of");
    assertThat(known.currentSubscriberCount()).isZero();
    assertThatThrownBy(() -> order(PATIENCE).block(PATIENCE))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("expected a KvRouter that is in use, got one disposed of");
    assertThat(node.requests).isEmpty();
  }

  /** It would fail at each of them. */
  @Test
  void whatFailsHereIsNoFaultOfANode() {
    thereAre(thatServes(), thatServes());
    List<Peer> asked = new ArrayList<>();
    Mono<Object> order =
        router.receive(
            PATIENCE,
            prefill -> {
              asked.add(prefill);
              return KvOrder.into(prefill, pool.reserve(PAGES))
                  .body(ByteBuffer.allocate((1 << 20) + 1));
            },
            arrival -> Mono.empty());
    assertThat(failureOf(order.toFuture()).reason()).isEqualTo(HandOverException.Reason.FAILED);
    assertThat(asked).hasSize(1);
  }

  @Test
  void oneWhoThrowsAtTheEndKeepsItFromNobody() {
    order(PATIENCE)
        .subscribe(
            any -> {},
            failure -> {
              throw new IllegalStateException("must not be thrown");
            });
    CompletableFuture<String> other = order();
    router.dispose();
    assertThat(errorOf(other)).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void refusesWhatCannotBe() {
    assertThatThrownBy(() -> KvRouter.open(decode, known.asFlux(), 0))
        .hasMessage("expected 1 to 64 attempts, got 0");
    assertThatThrownBy(() -> order(Duration.ZERO))
        .hasMessage("expected a deadline of 1 ms to 24 days, got PT0S");
  }
}
