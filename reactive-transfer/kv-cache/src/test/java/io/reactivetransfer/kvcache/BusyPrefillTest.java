package io.reactivetransfer.kvcache;

import static io.reactivetransfer.kvcache.TestNode.MODEL;
import static io.reactivetransfer.kvcache.TestNode.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.reactivetransfer.EngineOptions;
import io.reactivetransfer.ImmLease;
import io.reactivetransfer.PageList;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/** Busy is no reason to refuse, however many bytes wait, and of whichever model. */
class BusyPrefillTest {

  private static final KvLayout LAYOUT = KvLayout.opaque(2, 8, 64);

  private final List<TestNode> nodes = new ArrayList<>();
  private final Queue<Throwable> failed = new ConcurrentLinkedQueue<>();
  private final AtomicInteger arrived = new AtomicInteger();
  private final Sinks.Empty<Void> free = Sinks.empty();

  private TestNode node(int maxMessageBytes) {
    TestNode node =
        new TestNode(
            "loopback", LAYOUT, EngineOptions.builder().maxMessageBytes(maxMessageBytes).build());
    nodes.add(node);
    return node;
  }

  @AfterEach
  void close() {
    nodes.forEach(TestNode::close);
  }

  private static Flux<KvWritten> handOver(KvPrefill prefill, KvRequest request) {
    return prefill.handOver(
        request,
        PageList.of(0),
        Flux.range(0, 2).map(layer -> FinishedLayer.whole(layer, request)));
  }

  private void serveWhenFree(KvPrefill prefill) {
    serveWhenFree(prefill, 1);
  }

  private void serveWhenFree(KvPrefill prefill, int atOnce) {
    prefill
        .serve(atOnce, request -> free.asMono().thenMany(handOver(prefill, request)))
        .subscribe();
  }

  private Disposable order(KvDecode decode, TestNode from, TestNode to, ByteBuffer body) {
    KvOrder order =
        KvOrder.into(from.seenFrom(to), PageList.of(0), () -> {})
            .body(body)
            .deadline(PATIENCE.multipliedBy(4))
            .build();
    return decode
        .receive(order, come -> Mono.just(1))
        .subscribe(come -> arrived.incrementAndGet(), failed::add);
  }

  private void requireAllArrive(int orders) {
    free.tryEmitEmpty();
    await().atMost(PATIENCE.multipliedBy(2)).until(() -> arrived.get() + failed.size() == orders);
    assertThat(failed).isEmpty();
  }

  @Test
  void longRequestsOfOneNodeWait() {
    TestNode prefillNode = node(1 << 20);
    TestNode decodeNode = node(1 << 20);
    KvPrefill prefill = prefillNode.prefill();
    serveWhenFree(prefill);
    KvDecode decode = decodeNode.decode();
    ByteBuffer body = ByteBuffer.allocate(1_000 << 10);
    for (int i = 0; i < 16; i++) {
      order(decode, prefillNode, decodeNode, body);
    }
    // One is served, and of the others so many wait there as one node may have out.
    await().atMost(PATIENCE).until(() -> prefill.waiting() == 7);
    requireAllArrive(16);
  }

  // In a usual build the requests of the test above wait, which are shorter.
  @Test
  @Tag("nightly")
  void noMoreAreGivenToTheEngineThanItKeeps() {
    TestNode prefillNode = node(16 << 20);
    TestNode decodeNode = node(16 << 20);
    KvCacheOptions options = KvCacheOptions.builder().maxWaitingBytes(1L << 30).build();
    KvPrefill prefill =
        KvCache.open(prefillNode.engine, "prefill", options).prefill(MODEL, prefillNode.memory);
    serveWhenFree(prefill);
    KvDecode decode = decodeNode.decode();
    ByteBuffer body = ByteBuffer.allocate(16_000 << 10);
    // Its engine keeps 64 MiB, which are four of them.
    for (int i = 0; i < 6; i++) {
      order(decode, prefillNode, decodeNode, body);
    }
    requireAllArrive(6);
  }

  @Test
  void aRoomThatIsFullIsNoReasonToRefuseAnybody() {
    TestNode prefillNode = node(1 << 20);
    KvCacheOptions options = KvCacheOptions.builder().maxWaitingBytes(10_000).build();
    KvPrefill prefill =
        KvCache.open(prefillNode.engine, "prefill", options).prefill(MODEL, prefillNode.memory);
    serveWhenFree(prefill);
    ByteBuffer body = ByteBuffer.allocate(4_000);
    for (int i = 0; i < 3; i++) {
      TestNode decodeNode = node(1 << 20);
      KvDecode decode = decodeNode.decode();
      for (int j = 0; j < 10; j++) {
        order(decode, prefillNode, decodeNode, body);
      }
    }
    // One is served, and the third one fills the room.
    await().atMost(PATIENCE).until(() -> prefill.waiting() == 3);
    requireAllArrive(30);
    assertThat(prefill.waiting()).isZero();
  }

  @Test
  void aModelThatNobodyServesHoldsUpNoOther() {
    TestNode prefillNode = node(1 << 20);
    TestNode decodeNode = node(1 << 20);
    KvPrefill idle = prefillNode.cache().prefill("idle", prefillNode.memory);
    KvPrefill served = prefillNode.cache().prefill("served", prefillNode.memory);
    free.tryEmitEmpty();
    serveWhenFree(served);
    KvDecode ofIdle = decodeNode.cache().decode("idle", decodeNode.memory);
    KvDecode ofServed = decodeNode.cache().decode("served", decodeNode.memory);
    List<Disposable> waiting = new ArrayList<>();
    for (int i = 0; i < WaitingRoom.MAX_OF_ONE + 1; i++) {
      waiting.add(order(ofIdle, prefillNode, decodeNode, ByteBuffer.allocate(1)));
    }
    await().atMost(PATIENCE).until(() -> idle.waiting() == WaitingRoom.MAX_OF_ONE);
    order(ofServed, prefillNode, decodeNode, ByteBuffer.allocate(1));
    requireAllArrive(1);
    // Those that had a lower number, and were sent later, are served as well.
    serveWhenFree(idle, 64);
    requireAllArrive(1 + WaitingRoom.MAX_OF_ONE + 1);
  }

  @Test
  void modelsThatNobodyServesDoNotFillTheRoom() {
    TestNode prefillNode = node(1 << 20);
    KvCacheOptions options = KvCacheOptions.builder().maxWaitingBytes(10_000).build();
    KvCache cache = KvCache.open(prefillNode.engine, "prefill", options);
    KvPrefill idle = cache.prefill("idle", prefillNode.memory);
    KvPrefill served = cache.prefill("served", prefillNode.memory);
    free.tryEmitEmpty();
    serveWhenFree(served);
    List<TestNode> decodeNodes = List.of(node(1 << 20), node(1 << 20));
    ByteBuffer body = ByteBuffer.allocate(4_000);
    for (int i = 0; i < 6; i++) {
      TestNode decodeNode = decodeNodes.get(i % 2);
      KvDecode decode = decodeNode.cache().decode("idle", decodeNode.memory);
      order(decode, prefillNode, decodeNode, body);
    }
    // Two wait for whoever may serve them; the others hear that nobody does.
    await().atMost(PATIENCE).until(() -> failed.size() == 4);
    assertThat(idle.waiting()).isEqualTo(2);
    assertThat(failed)
        .allSatisfy(refused ->
            assertThat(refused)
                .hasMessageContaining("expected a model whose requests are read, got idle"));
    failed.clear();
    TestNode decodeNode = decodeNodes.getFirst();
    KvDecode ofServed = decodeNode.cache().decode("served", decodeNode.memory);
    order(ofServed, prefillNode, decodeNode, body);
    requireAllArrive(1);
    serveWhenFree(idle);
    requireAllArrive(3);
  }

  /** Without a claim nobody would hear of the loss of decode; but decode is there, and waits. */
  @Test
  void whatItsEngineCannotWatchIsRefused() {
    EngineOptions few = EngineOptions.builder().maxSubmissions(16).build();
    TestNode prefillNode = new TestNode("loopback", LAYOUT, few);
    nodes.add(prefillNode);
    TestNode decodeNode = node(1 << 20);
    serveWhenFree(prefillNode.prefill());
    free.tryEmitEmpty();
    ImmLease lease = prefillNode.engine.lease();
    AtomicInteger rejected = new AtomicInteger();
    for (int i = 0; i < 17; i++) {
      lease.counter().next(1).subscribe(met -> {}, failure -> rejected.incrementAndGet());
    }
    await().atMost(PATIENCE).until(() -> rejected.get() > 0);
    KvOrder order =
        KvOrder.into(prefillNode.seenFrom(decodeNode), PageList.of(0), () -> {})
            .deadline(PATIENCE)
            .build();
    HandOverException refused =
        HandOverFixture.failureOf(
            decodeNode.decode().receive(order, come -> Mono.just(1)).toFuture());
    assertThat(refused.reason()).isEqualTo(HandOverException.Reason.REFUSED);
    assertThat(refused).hasMessageContaining("16");
  }

  @Test
  void nothingIsKeptOfANodeToWhichNothingWent() {
    TestNode prefillNode = node(1 << 20);
    TestNode decodeNode = node(1 << 20);
    prefillNode.prefill();
    order(decodeNode.decode(), prefillNode, decodeNode, ByteBuffer.allocate(1 << 20));
    await().atMost(PATIENCE).until(() -> failed.size() == 1);
    assertThat(failed.peek()).hasMessageContaining("expected a request of at most 1048576 bytes");
    // It is forgotten a moment after its failure was told.
    await().atMost(PATIENCE).until(() -> decodeNode.cache().outbox.nodes() == 0);
  }
}
