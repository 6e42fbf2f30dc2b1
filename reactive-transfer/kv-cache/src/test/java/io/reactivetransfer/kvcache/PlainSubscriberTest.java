package io.reactivetransfer.kvcache;

import static io.reactivetransfer.kvcache.TestNode.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.reactivetransfer.fuzz.CapturedLog;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscriber;
import org.reactivestreams.Subscription;
import reactor.core.publisher.Mono;

/** Reactor signals nothing more to a plain subscriber that throws in onNext: the log says so. */
@ParameterizedClass
@ValueSource(strings = "loopback")
class PlainSubscriberTest extends HandOverFixture {

  /** Has it subscribe, and what follows bring it an element. */
  private void requireLogged(Publisher<?> publisher, Runnable then) {
    try (CapturedLog log = new CapturedLog()) {
      publisher.subscribe(new Throwing());
      then.run();
      await()
          .atMost(PATIENCE)
          .untilAsserted(() -> assertThat(log.text()).contains("thrown by a test"));
      assertThat(log.lines("a subscriber has thrown in onNext"))
          .singleElement()
          .asString()
          .contains("WARN");
    }
  }

  @Test
  void whatItThrowsOfAnArrivalIsLogged() {
    prefill.serve(1, request -> handOver(request, allLayers(request))).subscribe();
    requireLogged(decode.receive(order(), arrival -> Mono.just("used")), () -> {});
    requireLogged(decode.receive(this::order, arrival -> Mono.just("used")), () -> {});
  }

  @Test
  void whatItThrowsOfARequestIsLogged() {
    requireLogged(
        prefill.requests(),
        () -> decode.receive(order(), TestNode.KEPT).subscribe(come -> {}, failed -> {}));
  }

  @Test
  void whatItThrowsOfAWriteIsLogged() {
    decode.receive(order(), TestNode.KEPT).subscribe(come -> {}, failed -> {});
    KvRequest request = nextRequest();
    requireLogged(handOver(request, allLayers(request)), () -> {});
  }

  private static final class Throwing implements Subscriber<Object> {

    @Override
    public void onSubscribe(Subscription subscription) {
      subscription.request(Long.MAX_VALUE);
    }

    @Override
    public void onNext(Object element) {
      throw new IllegalStateException("thrown by a test");
    }

    @Override
    public void onError(Throwable reason) {}

    @Override
    public void onComplete() {}
  }
}
