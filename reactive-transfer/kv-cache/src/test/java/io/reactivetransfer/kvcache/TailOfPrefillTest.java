package io.reactivetransfer.kvcache;

import static io.reactivetransfer.kvcache.TestNode.KEPT;
import static io.reactivetransfer.kvcache.TestNode.PATIENCE;
import static io.reactivetransfer.kvcache.TestNode.await;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivetransfer.Access;
import io.reactivetransfer.HostMemory;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.MemorySlice;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A tail that cannot be written is refused before anything is, and the request stays open. */
class TailOfPrefillTest extends HandOverFixture {

  @BeforeEach
  @Override
  void open() {
    backend = "loopback";
    super.open();
  }

  private void requireRefused(MemorySlice tail, String message) {
    CompletableFuture<KvArrival> arrival = decode.receive(order(), KEPT).toFuture();
    KvRequest request = nextRequest();
    assertThatThrownBy(() -> prefill.handOver(request, sourcePages(), allLayers(request), tail))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(message);
    handOver(request, allLayers(request)).then().block(PATIENCE);
    arrival.join().release();
    requireSettled();
  }

  @Test
  void ofAClosedRegionIsRefused() {
    MemoryRegion region = await(prefillNode.engine.register(prefillNode.tails));
    MemorySlice tail = region.slice(0, 8);
    region.close().block(PATIENCE);
    requireRefused(tail, "expected a tail in an open region, got one in a closed region");
  }

  @Test
  void ofAnotherEngineIsRefusedAlsoIfItIsLocal() {
    MemoryRegion region =
        await(decodeNode.engine.register(new HostMemory(decodeNode.tails), Access.LOCAL));
    requireRefused(
        region.slice(0, 8),
        "expected a tail that is registered with this node's engine "
            + prefillNode.engine.id().toShortString()
            + ", got one of engine "
            + decodeNode.engine.id().toShortString());
  }

  @Test
  void ofAnotherEngineIsRefused() {
    requireRefused(
        decodeNode.tailRegion.slice(0, 8),
        "expected a tail that is registered with this node's engine "
            + prefillNode.engine.id().toShortString()
            + ", got one of engine "
            + decodeNode.engine.id().toShortString());
  }
}
