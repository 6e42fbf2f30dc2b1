package io.reactivetransfer.weights.version;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscription;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Whatever becomes of a read, its subscriber hears the end and its lease is closed. */
@Timeout(120)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ReadFailsTest {

  private static final Duration PATIENCE = Duration.ofSeconds(5);

  private final AtomicReference<VersionLease> lease = new AtomicReference<>();
  private Cluster cluster;

  @BeforeAll
  void open() {
    cluster = new Cluster("loopback", 1, 1);
  }

  @AfterAll
  void close() {
    cluster.close();
  }

  private static Error fatal() {
    return new NoClassDefFoundError("org/example/Kernel");
  }

  /** Reactor throws these errors through all operators, past those who wait for a signal. */
  enum Scope {
    THROWS(lease -> {
      throw fatal();
    }),
    THROWS_FOR_WANT_OF_MEMORY(lease -> {
      throw new OutOfMemoryError("as if there were none");
    }),
    FAILS(lease -> Mono.error(fatal())),
    THROWS_AS_IT_IS_SUBSCRIBED_TO(lease ->
        Mono.fromRunnable(() -> {
          throw fatal();
        })),
    THROWS_WHEN_IT_IS_ASKED(lease ->
        Flux.generate(sink -> {
          throw fatal();
        })),
    THROWS_IN_AN_OPERATOR(lease ->
        Flux.just(1, 2)
            .map(one -> {
              throw fatal();
            })),
    THROWS_AN_EXCEPTION(lease -> {
      throw new IllegalStateException("it cannot be read");
    }),
    RETURNS_NULL(lease -> null);

    private final Function<VersionLease, Publisher<Object>> scope;

    Scope(Function<VersionLease, Publisher<Object>> scope) {
      this.scope = scope;
    }
  }

  private <T> Flux<T> read(Function<VersionLease, Publisher<T>> scope) {
    return cluster
        .ranks
        .getFirst()
        .read(given -> {
          lease.set(given);
          return scope.apply(given);
        });
  }

  private void requireNoLeases() {
    UpdateResult result = cluster.update(7, UpdateMode.TWO_BUFFERS_WAIT).block(Cluster.PATIENCE);
    assertThat(result.isFlipped()).as(result.toString()).isTrue();
    result = cluster.update(8, UpdateMode.TWO_BUFFERS_WAIT).block(Cluster.PATIENCE);
    assertThat(result.isFlipped()).as(result.toString()).isTrue();
  }

  @ParameterizedTest
  @EnumSource
  void whatAScopeThrowsReachesTheSubscriber(Scope scope) {
    assertThatThrownBy(() -> read(scope.scope).blockLast(PATIENCE))
        .isInstanceOfAny(Error.class, NullPointerException.class, IllegalStateException.class)
        .hasMessageNotContaining("Timeout");
    requireNoLeases();
  }

  @ParameterizedTest
  @EnumSource
  void laterToo(Scope scope) {
    assertThatThrownBy(() ->
            read(given ->
                    Flux.<Object>just(0).concatWith(Flux.defer(() -> scope.scope.apply(given))))
                .blockLast(PATIENCE))
        .isInstanceOfAny(Error.class, NullPointerException.class, IllegalStateException.class)
        .hasMessageNotContaining("Timeout");
    requireNoLeases();
  }

  @Test
  void whatAnOperatorBehindItThrowsEndsIt() {
    assertThatThrownBy(() ->
            read(given -> Flux.just(1, 2))
                .map(one -> {
                  throw fatal();
                })
                .blockLast(PATIENCE))
        .isInstanceOf(NoClassDefFoundError.class);
    requireNoLeases();
  }

  @Test
  void aCancelCancelsWhatReadsAndThenClosesItsLease() throws InterruptedException {
    CountDownLatch reading = new CountDownLatch(1);
    CountDownLatch cancelled = new CountDownLatch(1);
    BaseSubscriber<Object> subscriber = new BaseSubscriber<>() {};
    read(given ->
            Flux.never().doOnSubscribe(s -> reading.countDown()).doOnCancel(cancelled::countDown))
        .subscribe(subscriber);
    assertThat(reading.await(40, TimeUnit.SECONDS)).isTrue();
    subscriber.cancel();
    assertThat(cancelled.await(40, TimeUnit.SECONDS)).isTrue();
    requireNoLeases();
  }

  @Test
  void aCancelThatThrowsClosesItsLeaseToo() throws InterruptedException {
    CountDownLatch reading = new CountDownLatch(1);
    BaseSubscriber<Object> subscriber = new BaseSubscriber<>() {};
    read(given ->
            actual ->
                actual.onSubscribe(
                    new Subscription() {
                      @Override
                      public void request(long n) {
                        reading.countDown();
                      }

                      @Override
                      public void cancel() {
                        throw new IllegalStateException("it cannot be cancelled");
                      }
                    }))
        .subscribe(subscriber);
    assertThat(reading.await(40, TimeUnit.SECONDS)).isTrue();
    subscriber.cancel();
    requireNoLeases();
  }

  @Test
  void whatSucceedsSaysAllAndEndsOnce() {
    assertThat(
            read(given -> Flux.range(0, 100).map(i -> i + given.version()))
                .collectList()
                .block(PATIENCE))
        .hasSize(100);
    assertThat(read(given -> Flux.range(0, 100)).take(3).collectList().block(PATIENCE)).hasSize(3);
    requireNoLeases();
  }
}
