package io.reactivetransfer.kvcache;

import static io.reactivetransfer.kvcache.TestNode.KEPT;
import static io.reactivetransfer.kvcache.TestNode.PATIENCE;
import static io.reactivetransfer.kvcache.TestNode.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.TransferRejectedException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.test.scheduler.VirtualTimeScheduler;

/** A process with two prefill engines gives the request of one to the other. */
@ParameterizedClass
@MethodSource("carriers")
class ForeignRequestTest extends HandOverFixture {

  private TestNode otherNode;
  private KvPrefill other;

  @BeforeEach
  void openOther() {
    otherNode = new TestNode(backend, prefillNode.layout);
    other = otherNode.prefill();
  }

  @AfterEach
  void closeOther() {
    other.dispose();
    otherNode.close();
  }

  private Flux<KvWritten> handOverByOther(KvRequest request) {
    return other.handOver(
        request, sourcePages(), allLayers(request), otherNode.tailRegion.slice(0, 100));
  }

  @Test
  void isRefusedAtOnceAndTheRightOneCanStillAnswer() {
    CompletableFuture<KvArrival> arrival = decode.receive(order(), KEPT).toFuture();
    KvRequest request = nextRequest();

    assertThatThrownBy(() -> handOverByOther(request))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("expected a request of this KvPrefill")
        .hasMessageContaining(otherNode.engine.address().toString())
        .hasMessageContaining(prefillNode.engine.address().toString())
        .hasMessageContaining("requests()");
    assertThatThrownBy(() -> other.refuse(request, "no"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("expected a request of this KvPrefill");

    handOver(request, allLayers(request)).then().block(PATIENCE);
    requireArrived(arrival.join());
    arrival.join().release();
    requireSettled();
  }

  @Test
  void isToldToDecodeAndLeavesNothingOpen() {
    prefill.serve(4, this::handOverByOther).subscribe();
    // More than one decode node may have waiting, which is the same whatever carries it.
    int requests = backend.equals("loopback") ? WaitingRoom.MAX_OF_ONE + 10 : 10;
    for (int i = 0; i < requests; i++) {
      HandOverException failure = failureOf(decode.receive(order(), KEPT).toFuture());
      assertThat(failure.reason()).isEqualTo(HandOverException.Reason.REFUSED);
      assertThat(failure).hasMessageContaining("expected a request of this KvPrefill");
      decode.settled().block(PATIENCE); // the pool has pages for three orders
    }
    requireSettled();
  }

  /** Whatever the engine does with the last word to decode, the caller gets his error. */
  @Test
  void aLastWordThatCannotBeSentDoesNotKeepTheHandOverFromEnding() {
    prefillNode.cache().dispose();
    prefillNode.cache().closed().block(PATIENCE);
    prefill =
        KvCache.open(thatRefusesToSend(prefillNode.engine))
            .prefill(TestNode.MODEL, prefillNode.memory);
    decode.receive(order(), KEPT).subscribe(arrived -> {}, failed -> {});
    KvRequest request = nextRequest();

    Flux<FinishedLayer> failing = Flux.error(new IllegalStateException("out of memory"));
    HandOverException failure = failureOf(handOver(request, failing).then().toFuture());

    assertThat(failure).hasMessageContaining("out of memory");
    await(prefill.refuse(request, "once more").thenReturn(true));
  }

  /** Who hears that all is closed may close what a hand-over's publisher would say otherwise. */
  @Test
  void whatIsClosedHasNoHandOverThatHasNotEnded() {
    prefillNode.cache().dispose();
    prefillNode.cache().closed().block(PATIENCE);
    VirtualTimeScheduler time = VirtualTimeScheduler.create();
    KvCache cache = KvCache.open(thatNeverSends(prefillNode.engine), "prefill", time);
    prefill = cache.prefill(TestNode.MODEL, prefillNode.memory);
    decode.receive(order(), KEPT).subscribe(arrived -> {}, failed -> {});
    KvRequest request = nextRequest();
    Flux<FinishedLayer> failing = Flux.error(new IllegalStateException("out of memory"));
    List<String> ends = new CopyOnWriteArrayList<>();
    cache.closed().subscribe(null, null, () -> ends.add("closed"));
    cache.dispose();
    handOver(request, failing).subscribe(written -> {}, failed -> ends.add("failed"));
    request.ended().block(PATIENCE);
    assertThat(ends).as("its last word is on its way").isEmpty();
    await()
        .atMost(PATIENCE)
        .until(() -> {
          time.advanceTimeBy(Duration.ofSeconds(1)); // its timer may begin a moment later
          return ends.size() == 2;
        });
    assertThat(ends).containsExactly("failed", "closed");
  }

  @Test
  void nobodyIsToldWhoIsLost() {
    prefillNode.cache().dispose();
    prefillNode.cache().closed().block(PATIENCE);
    VirtualTimeScheduler stands = VirtualTimeScheduler.create();
    KvCache cache = KvCache.open(thatNeverSends(prefillNode.engine), "prefill", stands);
    prefill = cache.prefill(TestNode.MODEL, prefillNode.memory);
    decode.receive(order(), KEPT).subscribe(arrived -> {}, failed -> {});
    KvRequest request = nextRequest();
    CompletableFuture<Void> writes = handOver(request, Flux.never()).then().toFuture();
    decodeNode.engine.close().block(PATIENCE);
    assertThat(failureOf(writes).reason()).isEqualTo(HandOverException.Reason.PEER_LOST);
    cache.dispose();
    cache.closed().block(PATIENCE);
  }

  private static TransferEngine thatNeverSends(TransferEngine engine) {
    return sending(engine, Mono::never);
  }

  private static TransferEngine thatRefusesToSend(TransferEngine engine) {
    return sending(
        engine,
        () -> {
          throw new TransferRejectedException("expected a peer of this engine");
        });
  }

  private static TransferEngine sending(TransferEngine engine, Supplier<Mono<Void>> send) {
    return (TransferEngine)
        Proxy.newProxyInstance(
            TransferEngine.class.getClassLoader(),
            new Class<?>[] {TransferEngine.class},
            (proxy, method, arguments) -> {
              // But it tells its layout, or nobody would ask it for anything.
              if (method.getName().equals("send") && !isDescription(arguments)) {
                return send.get();
              }
              try {
                return method.invoke(engine, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  private static boolean isDescription(Object[] arguments) {
    return KvCodec.decode((ByteBuffer) arguments[2]) instanceof KvMessage.Description;
  }
}
