package io.reactivetransfer.kvcache;

import static io.reactivetransfer.kvcache.TestNode.MODEL;
import static io.reactivetransfer.kvcache.TestNode.PATIENCE;
import static io.reactivetransfer.kvcache.TestNode.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivetransfer.Access;
import io.reactivetransfer.HostMemory;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.MemorySlice;
import io.reactivetransfer.PageList;
import java.lang.foreign.Arena;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;

/**
 * Memory that is closed, or another engine's, is refused before anybody is asked to write to it.
 */
class UnusableMemoryTest {

  private final Arena arena = Arena.ofShared();
  private final TestNode node = new TestNode("loopback", KvLayout.opaque(1, 4, 64));
  private final TestNode other = new TestNode("loopback", KvLayout.opaque(1, 4, 64));
  private final AtomicInteger quiet = new AtomicInteger();

  @AfterEach
  void close() {
    other.close();
    node.close();
    arena.close();
  }

  private Mono<Integer> receive(KvDecode decode, MemorySlice tail) {
    KvOrder order =
        KvOrder.into(other.seenFrom(node), PageList.of(1), quiet::incrementAndGet)
            .tail(tail)
            .build();
    return decode.receive(order, arrival -> Mono.just(1));
  }

  @Test
  void aTailInARegionThatIsClosed() {
    MemoryRegion region = await(node.engine.register(arena.allocate(64)));
    MemorySlice tail = region.slice(0, 64);
    region.close().block(PATIENCE);
    assertThatThrownBy(() -> await(receive(node.decode(), tail)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("expected a tail in an open region, got one in a region of 64 bytes");
    assertThat(quiet).hasValue(1);
  }

  @Test
  void aTailOfAnotherEngine() {
    assertThatThrownBy(() -> await(receive(node.decode(), other.tailRegion.slice(0, 64))))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("expected a tail in memory of this node's engine")
        .hasMessageContaining("got one of engine " + other.engine.id().toShortString());
    assertThat(quiet).hasValue(1);
  }

  /** Local memory has no descriptor that would say whose it is. */
  @Test
  void localMemoryOfAnotherEngine() {
    MemoryRegion local =
        await(
            other.engine.register(
                new HostMemory(arena.allocate(node.layout.bytes(0))), Access.LOCAL));
    KvMemory memory = KvMemory.of(local, node.layout);
    assertThatThrownBy(() -> node.cache().prefill(MODEL, memory))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("expected KV memory that is registered with this node's engine")
        .hasMessageContaining("got some of engine " + other.engine.id().toShortString());
    assertThat(other.cache().prefill(MODEL, memory).memory()).isSameAs(memory);
  }

  @Test
  void anOrderFromOnesOwnEngine() {
    KvOrder order =
        KvOrder.into(node.seenFrom(node), PageList.of(1), quiet::incrementAndGet).build();
    assertThatThrownBy(() -> await(node.decode().receive(order, arrival -> Mono.just(1))))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("expected a prefill node on another engine, got this node's own (")
        .hasMessageContaining("is read where it lies");
    assertThat(quiet).hasValue(1);
  }

  /** It would be asked, and the engine would refuse to send that, until the deadline. */
  @Test
  void anOrderFromANodeAsAnotherEngineSeesIt() {
    KvOrder order =
        KvOrder.into(other.seenFrom(other), PageList.of(1), quiet::incrementAndGet).build();
    assertThatThrownBy(() -> await(node.decode().receive(order, arrival -> Mono.just(1))))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("expected a peer of this node's engine")
        .hasMessageContaining("use peer(address) of this one");
    assertThat(quiet).hasValue(1);
  }

  @Test
  void kvMemoryInARegionThatIsClosed() {
    KvDecode decode = node.decode();
    node.memory.regions().getFirst().close().block(PATIENCE);
    assertThatThrownBy(() -> await(receive(decode, node.tailRegion.slice(0, 64))))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("expected KV memory in open regions, got a region of");
    assertThat(quiet).hasValue(1);
    assertThatThrownBy(() -> node.cache().decode(MODEL, node.memory))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("expected KV memory in open regions, got a region of");
    assertThatThrownBy(() -> node.cache().prefill(MODEL, node.memory))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("expected KV memory in open regions, got a region of");
  }
}
