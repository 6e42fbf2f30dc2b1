package io.reactivetransfer.kvcache;

import static io.reactivetransfer.kvcache.TestNode.KEPT;
import static io.reactivetransfer.kvcache.TestNode.MODEL;
import static io.reactivetransfer.kvcache.TestNode.PATIENCE;
import static io.reactivetransfer.kvcache.TestNode.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.reactivetransfer.DeadlineExceededException;
import io.reactivetransfer.EngineOptions;
import io.reactivetransfer.ImmCounter;
import io.reactivetransfer.MemorySlice;
import io.reactivetransfer.PageList;
import io.reactivetransfer.RemoteRegion;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.TransferFailedException;
import io.reactivetransfer.Write;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** What decode registers by itself: no more than it needs, and all of it is closed. */
class OwnMemoryTest {

  /** Two regions, one for each layer. */
  private static final KvLayout LAYOUT =
      KvLayout.builder()
          .layers(2)
          .pages(4)
          .pageTokens(1)
          .part(KvPart.whole("kv", 64))
          .places((layer, part) -> new KvPlace(layer, 0, 64))
          .build();

  private final Arena arena = Arena.ofShared();
  private final TestNode decodeNode = new TestNode("loopback", KvLayout.opaque(2, 4, 64));
  private final TestNode prefillNode = new TestNode("loopback", KvLayout.opaque(2, 4, 64));
  private final KvMemory memory = new KvMemory(List.of(region(), region()), LAYOUT);

  private io.reactivetransfer.MemoryRegion region() {
    MemorySegment segment = arena.allocate(LAYOUT.bytes(0), 64);
    return await(decodeNode.engine.register(segment));
  }

  @AfterEach
  void close() {
    prefillNode.close();
    decodeNode.close();
    arena.close();
  }

  private KvOrder.Builder ordered() {
    return KvOrder.into(prefillNode.seenFrom(decodeNode), PageList.of(0, 1, 2, 3), () -> {})
        .deadline(PATIENCE);
  }

  private void serve() {
    KvPrefill prefill = prefillNode.prefill();
    prefill
        .serve(
            4,
            request ->
                prefill.handOver(
                    request,
                    PageList.range(0, 4),
                    Flux.range(0, 2).map(layer -> FinishedLayer.whole(layer, request))))
        .subscribe();
  }

  private long openRegions() {
    return decodeNode.engine.stats().openRegions();
  }

  /** An engine whose registrations fail, from the one with this number on. */
  private static TransferEngine failing(TransferEngine engine, int from) {
    AtomicInteger registrations = new AtomicInteger();
    return (TransferEngine)
        Proxy.newProxyInstance(
            OwnMemoryTest.class.getClassLoader(),
            new Class<?>[] {TransferEngine.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("register") && registrations.incrementAndGet() >= from) {
                return Mono.error(new TransferFailedException("no more memory regions"));
              }
              try {
                return method.invoke(engine, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  @Test
  void whatWasRegisteredBeforeOneOfSeveralFailedIsClosed() {
    serve();
    long before = openRegions();
    KvCache cache = KvCache.open(failing(decodeNode.engine, 2));
    KvDecode decode = cache.decode(MODEL, memory);
    HandOverException failure =
        HandOverFixture.failureOf(decode.receive(ordered().build(), KEPT).toFuture());
    assertThat(failure).hasMessageContaining("no more memory regions");
    await().atMost(PATIENCE).until(() -> openRegions() == before);
    cache.dispose();
    cache.closed().block(PATIENCE);
  }

  /** The node is watched for as long as it is told of the memory, and that takes a claim. */
  @Test
  void registrationsThatFailLeaveNoClaimsBehind() {
    serve();
    EngineOptions few = EngineOptions.builder().maxSubmissions(16).build();
    try (TestNode node = new TestNode("loopback", KvLayout.opaque(2, 4, 64), few)) {
      KvCache cache = KvCache.open(failing(node.engine, 1));
      KvDecode decode = cache.decode(MODEL, node.memory);
      for (int i = 0; i < 40; i++) {
        KvOrder order =
            KvOrder.into(prefillNode.seenFrom(node), PageList.of(0), () -> {})
                .deadline(PATIENCE)
                .build();
        assertThat(HandOverFixture.failureOf(decode.receive(order, KEPT).toFuture()))
            .hasMessageContaining("no more memory regions");
      }
      ImmCounter free = node.engine.lease().counter().within(Duration.ofMillis(1));
      assertThatThrownBy(() -> await(free.next(1)))
          .as("a claim that was admitted")
          .isInstanceOf(DeadlineExceededException.class);
      cache.dispose();
      cache.closed().block(PATIENCE);
    }
  }

  @Test
  void whoIsDisposedOfSaysWhenAllOfItIsClosed() {
    serve();
    long before = openRegions();
    KvCache cache = KvCache.open(decodeNode.engine);
    KvDecode decode = cache.decode(MODEL, memory);
    CompletableFuture<Void> closed = decode.closed().toFuture();
    CompletableFuture<Void> all = cache.closed().toFuture();
    KvArrival kept =
        await(
            decode.receive(
                ordered().build(),
                arrival -> {
                  assertThat(openRegions()).isEqualTo(before + 2);
                  return Mono.just(arrival.keep());
                }));
    assertThat(closed).isNotDone();
    decode.dispose();
    Mono.fromFuture(closed).block(PATIENCE);
    assertThat(openRegions()).isEqualTo(before);
    kept.release();
    assertThat(all).isNotDone();
    cache.dispose();
    Mono.fromFuture(all).block(PATIENCE);
    decode.closed().block(PATIENCE);
    // One of a node that was disposed of has nothing to close.
    cache.decode(MODEL, memory).closed().block(PATIENCE);
  }

  @Test
  void aCacheIsClosedWhenWhatItsDecodeSidesRegisteredIs() {
    serve();
    long before = openRegions();
    KvCache cache = KvCache.open(decodeNode.engine);
    KvDecode decode = cache.decode(MODEL, memory);
    await(decode.receive(ordered().build(), arrival -> Mono.just(1)));
    KvDecode unused = cache.decode("another model", memory);
    cache.dispose();
    assertThat(decode.isDisposed()).isTrue();
    assertThat(unused.isDisposed()).isTrue();
    cache.closed().block(PATIENCE);
    assertThat(openRegions()).isEqualTo(before);
  }

  /** All of it ends with the engine, though nobody disposes of anything. */
  @Test
  void anEngineThatClosesEndsWhatIsOnIt() {
    serve();
    KvCache cache = KvCache.open(decodeNode.engine);
    KvDecode decode = cache.decode(MODEL, memory);
    await(decode.receive(ordered().build(), arrival -> Mono.just(1)));
    decodeNode.engine.close().block(PATIENCE);
    decode.closed().block(PATIENCE);
    cache.closed().block(PATIENCE);
    assertThat(cache.isDisposed()).isTrue();
    // A lease is closed when the thread of the engine has got to it.
    await()
        .atMost(PATIENCE)
        .untilAsserted(() -> assertThat(decodeNode.engine.stats().openLeases()).isZero());
    assertThatThrownBy(() -> await(decode.receive(ordered().build(), KEPT)))
        .isInstanceOf(HandOverException.class)
        .hasMessageContaining("this node's own engine is closed");
  }

  @Test
  void whatCannotBeClosedIsToldToWhoeverWaitsForIt() {
    serve();
    KvCache cache = KvCache.open(unclosable(decodeNode.engine));
    KvDecode decode = cache.decode(MODEL, memory);
    await(decode.receive(ordered().build(), arrival -> Mono.just(1)));
    cache.dispose();
    assertThatThrownBy(() -> decode.closed().block(PATIENCE)).hasMessageContaining("stuck");
    assertThatThrownBy(() -> cache.closed().block(PATIENCE)).hasMessageContaining("stuck");
  }

  /** An engine whose regions are closed, and say that they are not. */
  private static TransferEngine unclosable(TransferEngine engine) {
    return proxy(
        TransferEngine.class,
        engine,
        "register",
        registered ->
            ((Mono<?>) registered)
                .map(region ->
                    proxy(
                        io.reactivetransfer.MemoryRegion.class,
                        region,
                        "close",
                        closed ->
                            ((Mono<?>) closed)
                                .then(Mono.error(new TransferFailedException("a NIC is stuck"))))));
  }

  private static <T> T proxy(
      Class<T> type, Object inner, String name, java.util.function.UnaryOperator<Object> change) {
    return type.cast(
        Proxy.newProxyInstance(
            OwnMemoryTest.class.getClassLoader(),
            new Class<?>[] {type},
            (self, method, arguments) -> {
              try {
                Object result = method.invoke(inner, arguments);
                return method.getName().equals(name) ? change.apply(result) : result;
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            }));
  }

  /** Of a slab with the tails of many orders only the one that is asked for is open. */
  @Test
  void ofATailNoByteBesidesIsOpen() throws InterruptedException {
    FakePrefill prefill = new FakePrefill(prefillNode, decodeNode).takingAll();
    KvDecode decode = decodeNode.decode();
    long length = decodeNode.tailRegion.length();
    for (long[] slice : new long[][] {{100, 16}, {0, 1}, {length - 8, 8}, {7, 0}, {length, 0}}) {
      MemorySlice tail = decodeNode.tailRegion.slice(slice[0], slice[1]);
      decodeNode.tails.fill((byte) 0);
      KvOrder order =
          KvOrder.tailOnly(prefillNode.seenFrom(decodeNode), tail, () -> {})
              .deadline(PATIENCE)
              .build();
      Disposable running = decode.receive(order, KEPT).subscribe(come -> {}, failed -> {});
      KvMessage.Tail told = prefill.nextRequest().target().tail();
      assertThat(told).isNotNull();
      assertThat(told.length()).isEqualTo(slice[1]);
      assertThat(told.region().length()).isEqualTo(Math.max(1, slice[1]));
      RemoteRegion open = prefillNode.engine.remote(told.region());
      prefillNode.tails.fill((byte) 1);
      await(
          prefillNode.engine.submit(
              Write.of(
                  prefillNode.tailRegion.slice(0, told.length()),
                  open.slice(told.offset(), told.length()))));
      for (long at = 0; at < length; at++) {
        boolean isTail = at >= slice[0] && at < slice[0] + slice[1];
        assertThat(decodeNode.tails.get(java.lang.foreign.ValueLayout.JAVA_BYTE, at))
            .isEqualTo((byte) (isTail ? 1 : 0));
      }
      running.dispose();
    }
  }
}
