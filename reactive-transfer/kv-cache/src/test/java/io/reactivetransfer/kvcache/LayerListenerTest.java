package io.reactivetransfer.kvcache;

import static io.reactivetransfer.kvcache.TestNode.MODEL;
import static io.reactivetransfer.kvcache.TestNode.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import io.reactivetransfer.EngineOptions;
import io.reactivetransfer.PageList;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntConsumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** What is thrown by who is told of layers ends the order, though all of it may have come. */
class LayerListenerTest {

  private static final KvLayout LAYOUT = KvLayout.opaque(3, 4, 64);

  private final TestNode decodeNode =
      new TestNode(
          "loopback",
          LAYOUT,
          EngineOptions.builder().signalScheduler(Schedulers.boundedElastic()).build());
  private final TestNode prefillNode = new TestNode("loopback", LAYOUT);
  private final KvPrefill prefill = prefillNode.prefill();
  private final KvDecode decode = decodeNode.cache().decode(MODEL, decodeNode.memory);
  private final AtomicInteger quiet = new AtomicInteger();
  private final AtomicBoolean used = new AtomicBoolean();
  private final CountDownLatch told = new CountDownLatch(1);
  private final CountDownLatch goOn = new CountDownLatch(1);

  @AfterEach
  void close() {
    goOn.countDown();
    prefillNode.close();
    decodeNode.close();
  }

  private Mono<Integer> receive(IntConsumer onLayer) {
    prefill
        .serve(
            1,
            request ->
                prefill.handOver(
                    request, PageList.range(0, 4), HandOverFixture.allLayers(request).take(3)))
        .subscribe();
    KvOrder order =
        KvOrder.into(prefillNode.seenFrom(decodeNode), PageList.range(0, 4), quiet::incrementAndGet)
            .onLayer(onLayer)
            .deadline(PATIENCE)
            .build();
    return decode.receive(
        order,
        arrival -> {
          used.set(true);
          return Mono.just(1);
        });
  }

  /** Told of one layer, it waits until all has come, and throws then. */
  private void throwWhenAllHasCome(WhateverIsThrownTest.Thrown thrown) {
    told.countDown();
    try {
      assertThat(goOn.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    thrown.raise();
  }

  /** All of it has come, and is told of on other threads. */
  private void awaitAllThere() throws InterruptedException {
    assertThat(told.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
    await().atMost(PATIENCE).until(() -> decodeNode.engine.stats().arrivals() == 12);
  }

  @ParameterizedTest
  @EnumSource
  void endsAnOrderOfWhichAllHasComeMeanwhile(WhateverIsThrownTest.Thrown thrown) throws Exception {
    List<Integer> layers = new ArrayList<>();
    CompletableFuture<Integer> end =
        receive(
                layer -> {
                  layers.add(layer);
                  throwWhenAllHasCome(thrown);
                })
            .toFuture();
    awaitAllThere();
    goOn.countDown();
    Throwable failure = catchThrowable(() -> end.get(PATIENCE.toSeconds(), TimeUnit.SECONDS));
    assertThat(failure).isInstanceOf(ExecutionException.class);
    assertThat(failure.getCause()).isSameAs(thrown.failure);
    await().atMost(PATIENCE).until(() -> quiet.get() == 1);
    assertThat(used).isFalse();
    assertThat(layers).hasSize(1);
  }

  @Test
  void isToldToNobodyWhoHasCancelled() throws Exception {
    Disposable running =
        receive(layer -> throwWhenAllHasCome(WhateverIsThrownTest.Thrown.EXCEPTION)).subscribe();
    awaitAllThere();
    running.dispose();
    goOn.countDown();
    await().atMost(PATIENCE).until(() -> quiet.get() == 1);
    assertThat(used).isFalse();
  }

  @Test
  void endsAnOrderOfWhichSomeIsMissing() {
    CompletableFuture<Integer> end =
        receive(layer -> WhateverIsThrownTest.Thrown.EXCEPTION.raise()).toFuture();
    Throwable failure = catchThrowable(() -> end.get(PATIENCE.toSeconds(), TimeUnit.SECONDS));
    assertThat(failure).hasCause(WhateverIsThrownTest.Thrown.EXCEPTION.failure);
    await().atMost(PATIENCE).until(() -> quiet.get() == 1);
    assertThat(used).isFalse();
  }
}
