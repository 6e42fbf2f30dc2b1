package io.reactivetransfer.weights.version;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscription;
import reactor.core.Disposable;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Operators;

/** A read that is cancelled keeps no lease, whatever it was about to do. */
@Timeout(120)
class CancelledReadsTest {

  private static final int ROUNDS = 30_000;

  private Cluster cluster;
  private WeightsRank rank;

  @BeforeEach
  void open() {
    cluster = new Cluster("loopback", 1, 1);
    rank = cluster.ranks.getFirst();
  }

  @AfterEach
  void close() {
    cluster.close();
  }

  private void requireNoLeases() {
    UpdateResult result = cluster.update(7, UpdateMode.TWO_BUFFERS_WAIT).block(Cluster.PATIENCE);
    assertThat(result.isFlipped()).as(result.toString()).isTrue();
    result = cluster.update(8, UpdateMode.TWO_BUFFERS_WAIT).block(Cluster.PATIENCE);
    assertThat(result.isFlipped()).as(result.toString()).isTrue();
    assertThat(rank.openLeases()).isZero();
  }

  private static void spin(int times) {
    for (int i = 0; i < times; i++) {
      Thread.onSpinWait();
    }
  }

  @Test
  void whileItsScopeIsCalledOnAnotherThread() {
    Random random = new Random(1);
    AtomicInteger begun = new AtomicInteger();
    AtomicInteger cancelled = new AtomicInteger();
    for (int i = 0; i < ROUNDS; i++) {
      AtomicBoolean isCalled = new AtomicBoolean();
      Disposable read =
          rank.read(
                  lease -> {
                    begun.incrementAndGet();
                    isCalled.setRelease(true);
                    return Mono.never().doOnCancel(cancelled::incrementAndGet);
                  })
              .subscribe();
      while (!isCalled.getAcquire()) {
        Thread.onSpinWait();
      }
      spin(random.nextInt(60));
      read.dispose();
    }
    requireNoLeases();
    assertThat(cancelled).hasValue(begun.get());
  }

  /** Also if it has not got so far that its scope is called: then it is not called any more. */
  @Test
  void whileItWaits() {
    Random random = new Random(2);
    for (int i = 0; i < ROUNDS; i++) {
      Disposable read = rank.read(lease -> Mono.never()).subscribe();
      spin(random.nextInt(2_000));
      read.dispose();
    }
    requireNoLeases();
  }

  /** What a scope reads as it is called and subscribed to is not written to meanwhile. */
  @Test
  void itsLeaseIsOpenUntilItsScopeHasReturned() throws InterruptedException {
    CountDownLatch called = new CountDownLatch(1);
    AtomicBoolean isCancelled = new AtomicBoolean();
    AtomicInteger atReturn = new AtomicInteger(-1);
    Publisher<Object> never =
        actual -> {
          called.countDown();
          while (!isCancelled.getAcquire()) {
            // a thread that must not block
          }
          atReturn.set((int) rank.openLeases());
          actual.onSubscribe(Operators.emptySubscription());
        };
    Disposable read = rank.read(lease -> never).subscribe();
    assertThat(called.await(40, TimeUnit.SECONDS)).isTrue();
    read.dispose();
    isCancelled.setRelease(true);
    requireNoLeases();
    assertThat(atReturn).hasValue(1);
  }

  /** It is asked for as many as were asked for while it waited. */
  @Test
  void whatIsAskedForBeforeItBeginsIsNotForgotten() throws InterruptedException {
    CountDownLatch two = new CountDownLatch(2);
    AtomicInteger all = new AtomicInteger();
    BaseSubscriber<Integer> subscriber =
        new BaseSubscriber<>() {
          @Override
          protected void hookOnSubscribe(Subscription subscription) {
            subscription.request(1);
            subscription.request(1);
          }

          @Override
          protected void hookOnNext(Integer element) {
            all.incrementAndGet();
            two.countDown();
          }
        };
    rank.read(lease -> Flux.range(0, 10)).subscribe(subscriber);
    assertThat(two.await(40, TimeUnit.SECONDS)).isTrue();
    assertThat(all).hasValue(2);
    subscriber.cancel();
    requireNoLeases();
  }
}
