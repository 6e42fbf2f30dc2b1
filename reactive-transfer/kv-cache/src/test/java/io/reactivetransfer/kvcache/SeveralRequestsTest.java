package io.reactivetransfer.kvcache;

import static io.reactivetransfer.kvcache.TestNode.KEPT;
import static io.reactivetransfer.kvcache.TestNode.PATIENCE;
import static io.reactivetransfer.kvcache.TestNode.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.reactivetransfer.PageList;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;
import org.reactivestreams.Publisher;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** One request goes wrong, and others do not notice. */
@ParameterizedClass
@MethodSource("carriers")
class SeveralRequestsTest extends HandOverFixture {

  private static final int REQUESTS = 30;

  private KvOrder numbered(int number) {
    return ordered().body(ByteBuffer.allocate(4).putInt(0, number)).build();
  }

  private Mono<String> outcome(int number) {
    return decode
        .receive(numbered(number), arrival -> Mono.just("arrived"))
        .onErrorResume(HandOverException.class, e -> Mono.just(e.reason() + ": " + e.getMessage()));
  }

  /** Each of them hears of the loss by itself, and the first one makes room for another one. */
  @Test
  void whatWaitsOfANodeThatIsLostIsGivenToNobody() {
    AtomicInteger given = new AtomicInteger();
    prefill
        .serve(
            1,
            request -> {
              given.incrementAndGet();
              return Mono.never();
            })
        .subscribe();
    try (TestNode lost = new TestNode(backend, LAYOUT)) {
      KvDecode other = lost.decode();
      for (int i = 0; i < 40; i++) {
        KvOrder order =
            KvOrder.into(prefillNode.seenFrom(lost), PageList.of(i % 20), () -> {}).build();
        other.receive(order, KEPT).subscribe(come -> {}, failed -> {});
      }
      await().atMost(PATIENCE).until(() -> prefill.waiting() == 39);
    }
    await().atMost(PATIENCE).until(() -> prefill.waiting() == 0);
    assertThat(given).hasValue(1);
  }

  /**
   * One has many requests waiting, and another one that asks later does not wait for all of them.
   */
  @Test
  void decodeNodesTakeTurns() {
    try (TestNode otherNode = new TestNode(backend, LAYOUT)) {
      Disposable.Composite orders = Disposables.composite();
      orders.add(ordered(0));
      // One that waits for the layout of prefill may be overtaken by those that begin later.
      KvRequest first = nextRequest();
      for (int i = 1; i < 4; i++) {
        orders.add(ordered(i));
      }
      await().atMost(PATIENCE).until(() -> prefill.waiting() == 3);
      KvDecode other = otherNode.decode();
      for (int i = 0; i < 2; i++) {
        KvOrder order =
            KvOrder.into(prefillNode.seenFrom(otherNode), PageList.of(i), () -> {})
                .body(ByteBuffer.allocate(4).putInt(0, 10 + i))
                .build();
        orders.add(other.receive(order, KEPT).subscribe(come -> {}, failed -> {}));
        int waiting = 4 + i;
        await().atMost(PATIENCE).until(() -> prefill.waiting() == waiting);
      }
      List<Integer> order =
          prefill.requests().map(request -> request.body().getInt()).take(5).collectList().block();
      assertThat(first.body().getInt()).isZero();
      assertThat(order).containsExactly(1, 10, 2, 11, 3);
      orders.dispose();
    }
  }

  private Disposable ordered(int number) {
    KvOrder order =
        KvOrder.into(peer(), pool.reserve(1))
            .body(ByteBuffer.allocate(4).putInt(0, number))
            .build();
    return decode.receive(order, KEPT).subscribe(come -> {}, failed -> {});
  }

  @Test
  void whatGoesWrongInTheCodeBehindARequestFailsThatOneAlone() {
    Disposable service = prefill.serve(3, this::sometimesWrong).subscribe();
    for (int number = 0; number < REQUESTS; number++) {
      String outcome = await(outcome(number));
      switch (number % 6) {
        case 0 -> assertThat(outcome).startsWith("REFUSED").contains("thrown at " + number);
        case 1 -> assertThat(outcome).startsWith("REFUSED").contains("told at " + number);
        case 2 -> assertThat(outcome).startsWith("REFUSED").contains("without an answer");
        case 3 -> assertThat(outcome).startsWith("FAILED").contains("layer lost at " + number);
        case 4 ->
            assertThat(outcome)
                .startsWith("REFUSED")
                .contains("expected a publisher")
                .contains("null");
        default -> assertThat(outcome).isEqualTo("arrived");
      }
    }
    assertThat(service.isDisposed()).isFalse();
    requireSettled();
  }

  private @Nullable Publisher<?> sometimesWrong(KvRequest request) {
    int number = request.body().getInt();
    return switch (number % 6) {
      case 0 -> throw new IllegalStateException("thrown at " + number);
      case 1 -> Flux.error(new IllegalStateException("told at " + number));
      case 2 -> Flux.empty();
      case 3 -> handOver(request, Flux.error(new IllegalStateException("layer lost at " + number)));
      case 4 -> null; // which it must not
      default -> handOver(request, allLayers(request));
    };
  }

  @Test
  void whoReadsRequestsAndFailsCanReadOn() {
    AtomicInteger failures = new AtomicInteger();
    prefill
        .requests()
        .concatMap(request -> {
          if (failures.incrementAndGet() % 2 == 1) {
            return prefill
                .refuse(request, "no")
                .then(Mono.error(new IllegalStateException("of the application")));
          }
          return handOver(request, allLayers(request)).then();
        })
        .retry()
        .subscribe();
    for (int number = 0; number < REQUESTS; number++) {
      assertThat(await(outcome(number))).startsWith(number % 2 == 0 ? "REFUSED" : "arrived");
    }
    assertThatThrownBy(() -> await(prefill.requests().next()))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("one subscriber of requests() at a time");
  }

  @Test
  void theScopeOfAnArrivalGivesThePagesBackHoweverItEnds() {
    prefill.serve(3, request -> handOver(request, allLayers(request))).subscribe();
    int freeMeanwhile = await(decode.receive(order(), arrival -> Mono.just(pool.free())));
    assertThat(freeMeanwhile).isEqualTo(16);
    assertThat(pool.free()).isEqualTo(24);
    for (Mono<Void> end :
        Set.<Mono<Void>>of(Mono.empty(), Mono.error(new IllegalStateException("of the user")))) {
      await(decode.receive(order(), arrival -> end).onErrorComplete().thenReturn(1));
      assertThat(pool.free()).isEqualTo(24);
    }
    assertThatThrownBy(() ->
            await(
                decode.receive(
                    order(),
                    arrival -> {
                      throw new IllegalStateException("thrown by the user");
                    })))
        .hasMessage("thrown by the user");
    assertThat(pool.free()).isEqualTo(24);

    KvArrival kept = await(decode.receive(order(), KEPT));
    assertThat(pool.free()).isEqualTo(16);
    kept.release();
    requireSettled(); // when no NIC knows the tail
    assertThatThrownBy(kept::keep)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("before they were given back");
  }

  @Test
  void aDecodeThatIsOpenedAgainRepeatsNoNumber() {
    Set<Long> numbers = ConcurrentHashMap.newKeySet();
    // Nobody answers, so that prefill still has all of them open.
    prefill.requests().subscribe(request -> numbers.add(request.id()));
    for (int round = 1; round <= 3; round++) {
      KvCache cache = round == 1 ? decodeNode.cache() : KvCache.open(decodeNode.engine);
      KvDecode again = cache.decode(TestNode.MODEL, decodeNode.memory);
      List<Disposable> running = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        running.add(again.receive(order(), KEPT).subscribe(arrived -> {}, failed -> {}));
      }
      int expected = 3 * round;
      org.awaitility.Awaitility.await()
          .atMost(PATIENCE)
          .untilAsserted(() -> assertThat(numbers).hasSize(expected));
      cache.dispose();
      running.forEach(Disposable::dispose);
      cache.closed().block(PATIENCE);
    }
  }
}
