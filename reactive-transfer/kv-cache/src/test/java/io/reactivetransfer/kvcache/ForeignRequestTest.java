package io.reactivetransfer.kvcache;

import static io.reactivetransfer.kvcache.TestNode.KEPT;
import static io.reactivetransfer.kvcache.TestNode.PATIENCE;
import static io.reactivetransfer.kvcache.TestNode.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.TransferRejectedException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;

/** A process with two prefill engines gives the request of one to the other. */
@ParameterizedClass
@ValueSource(strings = {"loopback", "tcp"})
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
    for (int i = 0; i < Desk.MAX_WAITING + 10; i++) {
      HandOverException failure = failureOf(decode.receive(order(), KEPT).toFuture());
      assertThat(failure.reason()).isEqualTo(HandOverException.Reason.REFUSED);
      assertThat(failure).hasMessageContaining("expected a request of this KvPrefill");
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

  private static TransferEngine thatRefusesToSend(TransferEngine engine) {
    return (TransferEngine)
        Proxy.newProxyInstance(
            TransferEngine.class.getClassLoader(),
            new Class<?>[] {TransferEngine.class},
            (proxy, method, arguments) -> {
              // But it tells its layout, or nobody would ask it for anything.
              if (method.getName().equals("send") && !isDescription(arguments)) {
                throw new TransferRejectedException("expected a peer of this engine");
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
