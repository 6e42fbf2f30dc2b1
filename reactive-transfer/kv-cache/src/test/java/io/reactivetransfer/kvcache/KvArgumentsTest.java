package io.reactivetransfer.kvcache;

import static io.reactivetransfer.kvcache.TestNode.KEPT;
import static io.reactivetransfer.kvcache.TestNode.PATIENCE;
import static io.reactivetransfer.kvcache.TestNode.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivetransfer.Access;
import io.reactivetransfer.HostMemory;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.MemorySlice;
import io.reactivetransfer.Peer;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;

/** What cannot work is refused when it is made, in words that say what was expected. */
@ParameterizedClass
@ValueSource(strings = "loopback")
class KvArgumentsTest extends HandOverFixture {

  private Peer peer() {
    return prefillNode.seenFrom(decodeNode);
  }

  private KvOrder orderWithBody(int bytes) {
    return new KvOrder(
        peer(), PAGES, decodeNode.tailRegion.slice(0, 1), PATIENCE, ByteBuffer.allocate(bytes));
  }

  @Test
  void aBodyThatNoMessageCanCarryIsRefused() {
    assertThat(orderWithBody(65_535).body().remaining()).isEqualTo(65_535);
    assertThatThrownBy(() -> orderWithBody(65_536))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("expected a body of at most 65535 bytes, got 65536");
  }

  @Test
  void memoryThatPrefillMayNotWriteToIsRefused() {
    MemoryRegion local =
        await(decodeNode.engine.register(new HostMemory(decodeNode.pages), Access.LOCAL));
    KvMemory memory = new KvMemory(local, LAYOUT);
    assertThatThrownBy(() -> KvDecode.open(decodeNode.engine, memory, pool))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("expected KV memory registered with REMOTE_WRITE, got LOCAL");
    MemorySlice tail = local.slice(0, 8);
    assertThatThrownBy(() -> KvOrder.of(peer(), PAGES, tail, PATIENCE))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("expected a tail in a region registered with REMOTE_WRITE, got LOCAL");
  }

  @Test
  void aChunkBeyondTheRequestIsNamed() {
    CompletableFuture<KvArrival> arrival = decode.receive(order(), KEPT).toFuture();
    KvRequest request = nextRequest();
    Flux<FinishedLayer> layers = Flux.just(new FinishedLayer(3, PAGES - 1, 2));
    assertThat(failureOf(handOver(request, layers).then().toFuture()))
        .hasMessageContaining(
            "expected a chunk of layer 3 within pages 0 to 7 of the request, got 2 pages from 7"
                + " on");
    assertThat(failureOf(arrival)).hasMessageContaining("expected a chunk of layer 3");
    requireSettled();
  }

  @Test
  void aLayerThatTheModelHasNotIsNamed() {
    CompletableFuture<KvArrival> arrival = decode.receive(order(), KEPT).toFuture();
    KvRequest request = nextRequest();
    Flux<FinishedLayer> layers = Flux.just(new FinishedLayer(LAYOUT.layers(), 0, 1));
    assertThat(failureOf(handOver(request, layers).then().toFuture()))
        .hasMessageContaining("expected a layer of 0 to 4, got 5");
    assertThat(failureOf(arrival)).hasMessageContaining("expected a layer of 0 to 4, got 5");
    requireSettled();
  }
}
