package io.reactivetransfer.kvcache;

import static io.reactivetransfer.kvcache.TestNode.KEPT;
import static io.reactivetransfer.kvcache.TestNode.PATIENCE;
import static io.reactivetransfer.kvcache.TestNode.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** What a recorder is told of orders and requests, beside one that throws whatever it is told. */
@ParameterizedClass
@ValueSource(strings = "loopback")
class RecorderTest extends HandOverFixture {

  private static final long BYTES = LAYOUT.layers() * PAGES * 1_000L + 100;

  private final ToldEvents told = new ToldEvents();
  private final AtomicInteger thrown = new AtomicInteger();

  private final KvRecorder careless = careless(KvRecorder.class);

  /** Of every method, also what no application throws by itself, but for those that begin. */
  private <T> T careless(Class<T> type) {
    return type.cast(
        Proxy.newProxyInstance(
            RecorderTest.class.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) -> {
              if (KvRecorder.class.equals(method.getReturnType()) || !method.isDefault()) {
                return method.getName().equals("equals") ? proxy == arguments[0] : null;
              }
              if (isOfOne(method.getReturnType())) {
                return careless(method.getReturnType());
              }
              thrown.incrementAndGet();
              throw new NoClassDefFoundError("thrown by a test");
            }));
  }

  private static boolean isOfOne(Class<?> type) {
    return type == KvRecorder.OrderRecorder.class || type == KvRecorder.RequestRecorder.class;
  }

  @Override
  KvCacheOptions options() {
    return KvCacheOptions.builder().recorder(KvRecorderChain.of(careless, told)).build();
  }

  private void untilTold(String name, int times) {
    await().atMost(PATIENCE).until(() -> told.names.stream().filter(name::equals).count() == times);
  }

  @Test
  void anOrderAndItsRequestAreToldFromTheirBeginningToTheirEnd() {
    CompletableFuture<KvArrival> arrival = decode.receive(order(), KEPT).toFuture();
    KvRequest request = nextRequest();
    assertThat(told.names).contains("orderBegun", "requestDequeued");
    await(handOver(request, allLayers(request)).then(Mono.just(true)));
    KvArrival arrived = await(Mono.fromFuture(arrival));

    assertThat(told.orders)
        .singleElement()
        .satisfies(end -> {
          assertThat(end.failure()).isNull();
          assertThat(end.isCancelled()).isFalse();
          assertThat(end.pages()).isEqualTo(PAGES);
          assertThat(end.bytes()).isEqualTo(BYTES);
          assertThat(end.untilFirst()).isEqualTo(arrived.untilFirst()).isPositive();
          assertThat(end.duration()).isGreaterThanOrEqualTo(arrived.untilFirst());
        });
    untilTold("requestEnded", 1);
    assertThat(told.requests)
        .singleElement()
        .satisfies(end -> {
          assertThat(end.failure()).isNull();
          assertThat(end.bytes()).isEqualTo(BYTES);
          assertThat(end.exposed()).isPositive().isLessThan(end.duration());
        });
    assertThat(told.waits)
        .singleElement()
        .satisfies(end -> {
          assertThat(end.isTaken()).isTrue();
          assertThat(end.waited())
              .isPositive()
              .isLessThanOrEqualTo(told.requests.getFirst().duration());
        });
    requireArrived(arrived);
    arrived.release();
    requireSettled();
    decodeNode.cache().dispose();
    prefillNode.cache().dispose();
    untilTold("closed", 2);
    assertThat(told.names)
        .startsWith("opened", "opened", "decodeOpened", "prefillOpened", "orderBegun")
        .containsSubsequence("requestQueued", "requestDequeued", "requestEnded", "closed")
        .containsSubsequence("orderBegun", "orderEnded", "decodeClosed", "closed")
        .doesNotContain("pagesBack", "requestRejected")
        .hasSize(12);
    // Of these not what begins, and besides what goes with the request.
    assertThat(thrown).hasValue(11);
  }

  @Test
  void aCancelledOrderIsHeldUntilItsPagesAreBack() {
    Disposable order = decode.receive(order(), KEPT).subscribe();
    KvRequest request = nextRequest();
    order.dispose();
    assertThat(told.orders).singleElement().matches(KvRecorder.OrderEnd::isCancelled);
    assertThat(told.orders.getFirst().bytes()).isZero();
    requireSettled();
    untilTold("requestEnded", 1);
    assertThat(reason(told.requests.getFirst())).isEqualTo(HandOverException.Reason.CANCELLED);
    assertThat(told.requests.getFirst().exposed()).isNull();
    assertThat(request.isOpen()).isFalse();
    untilTold("pagesBack", 1);
  }

  @Test
  void aRequestThatIsCancelledWhileItWaitsIsNotTaken() {
    Disposable order = decode.receive(order(), KEPT).subscribe();
    untilTold("requestQueued", 1);
    order.dispose();
    untilTold("requestDequeued", 1);
    assertThat(told.waits).singleElement().matches(end -> !end.isTaken());
    requireSettled();
  }

  @Test
  void aRefusalIsToldOnBothSides() {
    CompletableFuture<KvArrival> arrival = decode.receive(order(), KEPT).toFuture();
    await(prefill.refuse(nextRequest(), "not today").then(Mono.just(true)));
    HandOverException failure = failureOf(arrival);
    assertThat(told.orders).singleElement().matches(end -> failure.equals(end.failure()));
    assertThat(told.requests)
        .singleElement()
        .matches(end -> reason(end) == HandOverException.Reason.REFUSED && end.bytes() == 0);
    requireSettled();
    untilTold("pagesBack", 1);
  }

  @Test
  void aFailureOfTheModelIsToldWithWhatWasWritten() {
    CompletableFuture<KvArrival> arrival = decode.receive(order(), KEPT).toFuture();
    KvRequest request = nextRequest();
    Flux<FinishedLayer> failing =
        allLayers(request).take(2).concatWith(Flux.error(new IllegalStateException("a bug")));
    failureOf(handOver(request, failing).then().toFuture());
    failureOf(arrival);
    assertThat(told.requests)
        .singleElement()
        .matches(end -> reason(end) == HandOverException.Reason.FAILED)
        .matches(end -> end.bytes() == 2 * PAGES * 1_000 && end.exposed() == null);
    requireSettled();
  }

  @Test
  void aModelThatIsNotThereIsARejection() {
    KvDecode other = decodeNode.cache().decode("another model", decodeNode.memory);
    failureOf(other.receive(order(), KEPT).toFuture());
    untilTold("requestRejected", 1);
    assertThat(told.names).doesNotContain("requestQueued");
    other.settled().block(PATIENCE);
    requireSettled();
  }

  @Test
  void whatIsNoOrderIsNotTold() {
    decode.dispose();
    assertThatThrownBy(() -> await(decode.receive(order(), KEPT)))
        .isInstanceOf(IllegalStateException.class);
    assertThat(told.names).doesNotContain("orderBegun", "orderEnded", "pagesBack");
  }

  private static HandOverException.@Nullable Reason reason(KvRecorder.RequestEnd end) {
    HandOverException failure = end.failure();
    return failure == null ? null : failure.reason();
  }

  @Test
  void everythingIsHandedOnToBothOfAChain() {
    assertThat(KvRecorder.NONE.andThen(told)).isSameAs(told);
    assertThat(told.andThen(KvRecorder.NONE).andThen(told)).isSameAs(told);
    KvRecorder chain = KvRecorderChain.of(careless, told);
    requireBothAreTold(chain, KvRecorder.class);
    requireBothAreTold(chain.orderBegun(null), KvRecorder.OrderRecorder.class);
    requireBothAreTold(chain.requestQueued(null), KvRecorder.RequestRecorder.class);
  }

  private void requireBothAreTold(Object chain, Class<?> type) {
    for (Method method : type.getDeclaredMethods()) {
      if (method.isDefault() && method.getReturnType() == void.class) {
        int before = told.names.size();
        assertThatThrownBy(() -> method.invoke(chain, new Object[method.getParameterCount()]))
            .isInstanceOf(InvocationTargetException.class)
            .hasCauseInstanceOf(NoClassDefFoundError.class);
        assertThat(told.names).as(method.getName()).hasSize(before + 1);
      }
    }
  }

  @Test
  void whatBeginsIsToldToTheSecondOfAChainWhereTheFirstThrows() {
    KvRecorder throwing =
        new KvRecorder() {
          @Override
          public OrderRecorder orderBegun(OrderBegin begin) {
            throw new NoClassDefFoundError("thrown by a test");
          }

          @Override
          public RequestRecorder requestQueued(RequestBegin begin) {
            throw new NoClassDefFoundError("thrown by a test");
          }
        };
    for (KvRecorder chain : List.of(throwing.andThen(told), told.andThen(throwing))) {
      told.names.clear();
      chain.orderBegun(null).ended(null);
      chain.requestQueued(null).ended(null);
      assertThat(told.names)
          .containsExactly("orderBegun", "orderEnded", "requestQueued", "requestEnded");
    }
  }
}
