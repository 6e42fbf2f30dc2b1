package io.reactivetransfer.kvcache;

import static io.reactivetransfer.kvcache.TestNode.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Mono;

/** Who asks for nothing (rule 3.9) gets an error, and never pages that somebody reads. */
@ParameterizedClass
@MethodSource("carriers")
class DemandOfNothingTest extends HandOverFixture {

  private final Queue<Object> signals = new ConcurrentLinkedQueue<>();
  private final CompletableFuture<Subscription> subscribed = new CompletableFuture<>();

  private final CoreSubscriber<Object> subscriber =
      new CoreSubscriber<>() {
        @Override
        public void onSubscribe(Subscription subscription) {
          subscribed.complete(subscription);
        }

        @Override
        public void onNext(Object element) {
          signals.add(element);
        }

        @Override
        public void onError(Throwable failure) {
          signals.add(failure);
        }

        @Override
        public void onComplete() {
          signals.add("completion");
        }
      };

  /** Without a tail: then the pages go back at once. */
  private KvOrder pagesOnly() {
    return KvOrder.into(peer(), pool.reserve(PAGES)).deadline(PATIENCE).build();
  }

  private void requireOneError() {
    assertThat(signals)
        .singleElement()
        .satisfies(signal ->
            assertThat(signal)
                .isInstanceOf(IllegalArgumentException.class)
                .extracting(Object::toString)
                .asString()
                .contains("expected a request of 1 or more"));
  }

  @Test
  void whileTheFunctionReadsThePagesWaitsForIt() throws InterruptedException {
    prefill
        .serve(1, request -> prefill.handOver(request, sourcePages(), allLayers(request)))
        .subscribe();
    CountDownLatch reads = new CountDownLatch(1);
    AtomicBoolean mayReturn = new AtomicBoolean();
    AtomicLong turns = new AtomicLong();
    CompletableFuture<Integer> freeAtReturn = new CompletableFuture<>();
    decode
        .receive(
            pagesOnly(),
            arrival -> {
              reads.countDown();
              // It computes: this thread must not block, and that is watched.
              long until = System.nanoTime() + PATIENCE.toNanos();
              while (!mayReturn.get() && System.nanoTime() < until) {
                turns.incrementAndGet();
              }
              freeAtReturn.complete(pool.free());
              return Mono.never();
            })
        .subscribe(subscriber);
    Subscription subscription = subscribed.join();
    assertThat(reads.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
    subscription.request(0);
    subscription.request(-1);
    mayReturn.set(true);
    assertThat(freeAtReturn.orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS).join())
        .isEqualTo(24 - PAGES);
    await().atMost(PATIENCE).until(() -> !signals.isEmpty());
    assertThat(pool.free()).isEqualTo(24);
    requireOneError();
  }

  @Test
  void beforeTheArrivalEndsTheOrder() {
    decode.receive(pagesOnly(), TestNode.KEPT).subscribe(subscriber);
    assertThat(nextRequest()).isNotNull();
    subscribed.join().request(0);
    subscribed.join().request(0);
    requireOneError();
    requireSettled();
    requireOneError();
  }
}
