package io.reactivetransfer.kvcache;

import static io.reactivetransfer.kvcache.TestNode.KEPT;
import static io.reactivetransfer.kvcache.TestNode.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.fuzz.CapturedLog;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.reactivestreams.Publisher;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** What prefill's log says of requests that its application could not serve, and of others not. */
class ServingLogTest extends HandOverFixture {

  @BeforeEach
  @Override
  void open() {
    backend = "loopback";
    super.open();
  }

  /** What the log says when a request is served so, and how it ends at decode. */
  private String served(
      HandOverException.Reason expected, Function<KvRequest, Publisher<?>> handler) {
    try (CapturedLog log = new CapturedLog()) {
      Disposable serving = prefill.serve(1, handler).subscribe();
      HandOverException failure = failureOf(decode.receive(order(), KEPT).toFuture());
      assertThat(failure.reason()).isEqualTo(expected);
      requireSettled();
      // The line comes before the next request is served.
      decode.receive(order(), KEPT).onErrorComplete().block(PATIENCE);
      serving.dispose();
      requireSettled();
      return log.text();
    }
  }

  @Test
  void anEndWithoutAnAnswerIsLogged() {
    assertThat(served(HandOverException.Reason.REFUSED, request -> Mono.empty()))
        .contains("request 1 of decode loopback:")
        .contains("expected it to be handed over or refused, got the end of what its handler");
    assertThat(served(HandOverException.Reason.REFUSED, request -> Flux.just(1, 2, 3)))
        .contains("expected it to be handed over or refused, got the end of what its handler");
  }

  @Test
  void whatFailsInAHandOverIsLoggedWithItsStack() {
    assertThat(
            served(
                HandOverException.Reason.FAILED,
                request ->
                    handOver(
                        request,
                        allLayers(request)
                            .map(layer -> {
                              throw new IllegalStateException("the model is broken");
                            }))))
        .contains("the model is broken")
        .contains("ServingLogTest.java");
    assertThat(
            served(
                HandOverException.Reason.FAILED,
                request -> handOver(request, allLayers(request).take(4))))
        .contains("got 8 too few");
    assertThat(
            served(
                HandOverException.Reason.FAILED,
                request -> handOver(request, allLayers(request).repeat(1))))
        .contains("again");
  }

  @Test
  void whoAnswersTwiceHearsThat() {
    assertThat(
            served(
                HandOverException.Reason.CANCELLED,
                request ->
                    Flux.merge(
                        handOver(request, Flux.never()), handOver(request, allLayers(request)))))
        .contains("expected a request that was not answered yet, got one that was handed over");
  }

  @Test
  void theEndOfItsOwnEngineIsNotLogged() {
    try (CapturedLog log = new CapturedLog()) {
      CompletableFuture<Boolean> begun = new CompletableFuture<>();
      CompletableFuture<Void> serving =
          prefill
              .serve(
                  1,
                  request ->
                      handOver(
                          request,
                          Flux.<FinishedLayer>never()
                              .doOnSubscribe(subscription -> begun.complete(true))))
              .toFuture();
      decode.receive(order(), KEPT).onErrorComplete().subscribe();
      begun.join();
      prefillNode.engine.close().block(PATIENCE);
      serving.join();
      assertThat(log.text()).doesNotContain("could not be served");
    }
  }

  @Test
  void whatTheOtherSideDoesIsNotLogged() {
    try (CapturedLog log = new CapturedLog()) {
      CompletableFuture<KvRequest> taken = new CompletableFuture<>();
      prefill
          .serve(
              1,
              request ->
                  handOver(request, Flux.never()).doOnSubscribe(begun -> taken.complete(request)))
          .subscribe();
      Disposable running = decode.receive(order(), KEPT).subscribe();
      taken.join();
      running.dispose();
      requireSettled();
      assertThat(log.text()).isEmpty();
    }
  }

  @Test
  void aHandOverThatComesTooLateHearsWhyItIsOver() {
    Disposable running = decode.receive(order(), KEPT).subscribe();
    KvRequest request = nextRequest();
    running.dispose();
    requireSettled();
    assertThat(failureOf(handOver(request, allLayers(request)).then().toFuture()))
        .hasMessageContaining("decode cancelled it");
  }
}
