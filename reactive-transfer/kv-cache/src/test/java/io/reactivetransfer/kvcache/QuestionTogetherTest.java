package io.reactivetransfer.kvcache;

import static io.reactivetransfer.kvcache.TestNode.MODEL;
import static io.reactivetransfer.kvcache.TestNode.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.Peer;
import io.reactivetransfer.TransferEngine;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;

/** Orders that ask a prefill node for the same model ask together, and end apart. */
class QuestionTogetherTest {

  private static final int ROUNDS = 20_000;
  private static final KvLayout LAYOUT = KvLayout.opaque(2, 4, 64);

  private final TestNode prefillNode = new TestNode("loopback", LAYOUT);
  private final TestNode decodeNode = new TestNode("loopback", LAYOUT);
  private final AtomicInteger asked = new AtomicInteger();

  /** What becomes of the sending of a question. */
  private volatile UnaryOperator<Mono<Void>> sending = UnaryOperator.identity();

  private KvCache cache;
  private Peer peer;

  @BeforeEach
  @SuppressWarnings("unchecked") // what is sent is a Mono of nothing
  void open() {
    prefillNode.prefill();
    peer = prefillNode.seenFrom(decodeNode);
    TransferEngine engine =
        (TransferEngine)
            Proxy.newProxyInstance(
                QuestionTogetherTest.class.getClassLoader(),
                new Class<?>[] {TransferEngine.class},
                (proxy, method, arguments) -> {
                  try {
                    Object result = method.invoke(decodeNode.engine, arguments);
                    if (!method.getName().equals("send")) {
                      return result;
                    }
                    asked.incrementAndGet();
                    return sending.apply((Mono<Void>) result);
                  } catch (InvocationTargetException e) {
                    throw e.getCause();
                  }
                });
    cache = KvCache.open(engine);
  }

  @AfterEach
  void close() {
    cache.dispose();
    prefillNode.close();
    decodeNode.close();
  }

  /** A race, which was lost once in some thousand rounds. */
  @Test
  void whoBeginsWhileTheOnlyOtherOneIsCancelledIsNotCancelled() throws Exception {
    sending = question -> Mono.never();
    KvDecode decode = cache.decode(MODEL, decodeNode.memory);
    AtomicReference<Disposable> cancelled = new AtomicReference<>();
    AtomicReference<Throwable> failure = new AtomicReference<>();
    CyclicBarrier begin = new CyclicBarrier(2);
    CyclicBarrier end = new CyclicBarrier(2);
    try (ExecutorService other = Executors.newSingleThreadExecutor()) {
      Future<?> cancels =
          other.submit(() -> {
            for (int i = 0; i < ROUNDS; i++) {
              begin.await();
              cancelled.get().dispose();
              end.await();
            }
            return null;
          });
      for (int i = 0; i < ROUNDS; i++) {
        cancelled.set(decode.source(peer).subscribe(known -> {}, failure::set));
        begin.await();
        Disposable second = decode.source(peer).subscribe(known -> {}, failure::set);
        end.await();
        second.dispose();
      }
      cancels.get();
    }
    assertThat(failure).hasNullValue();
  }

  @Test
  void aCancelOfOneOfTwoLeavesTheQuestionToTheOther() {
    CompletableFuture<Void> goesOut = new CompletableFuture<>();
    sending = question -> Mono.fromFuture(goesOut).then(question);
    KvDecode decode = cache.decode(MODEL, decodeNode.memory);
    Disposable one = decode.source(peer).subscribe(known -> {}, failure -> {});
    CompletableFuture<KvSource> other = decode.source(peer).toFuture();
    one.dispose();
    goesOut.complete(null);
    assertThat(other).succeedsWithin(PATIENCE);
    assertThat(asked).hasValue(1);
  }

  @Test
  void whatNobodyWaitsForIsAskedNoMoreAndAnewForTheNext() {
    CompletableFuture<Void> cancelled = new CompletableFuture<>();
    sending = question -> Mono.<Void>never().doOnCancel(() -> cancelled.complete(null));
    KvDecode decode = cache.decode(MODEL, decodeNode.memory);
    Disposable one = decode.source(peer).subscribe(known -> {}, failure -> {});
    Disposable other = decode.source(peer).subscribe(known -> {}, failure -> {});
    one.dispose();
    assertThat(cancelled).isNotDone();
    other.dispose();
    assertThat(cancelled).isDone();
    sending = UnaryOperator.identity();
    assertThat(decode.source(peer).block(PATIENCE)).isNotNull();
    assertThat(asked).hasValue(2);
  }

  /** Who orders again when the question has failed must not hear the same again. */
  @Test
  void whoAsksAgainWhenItHasFailedAsksAnew() {
    sending =
        question ->
            asked.get() == 1 ? Mono.error(new IllegalStateException("no way out")) : question;
    KvDecode decode = cache.decode(MODEL, decodeNode.memory);
    Mono<KvSource> again =
        decode.source(peer).onErrorResume(IllegalStateException.class, e -> decode.source(peer));
    assertThat(again.block(PATIENCE)).isNotNull();
    assertThat(asked).hasValue(2);
  }
}
