package io.reactivetransfer.kvcache;

import static io.reactivetransfer.kvcache.TestNode.KEPT;
import static io.reactivetransfer.kvcache.TestNode.PATIENCE;
import static io.reactivetransfer.kvcache.TestNode.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.reactivetransfer.PageList;
import io.reactivetransfer.engine.TransferEngineBuilder;
import io.reactivetransfer.loopback.LoopbackBackend;
import io.reactivetransfer.loopback.LoopbackNetwork;
import io.reactivetransfer.spi.Capabilities;
import io.reactivetransfer.spi.Domain;
import io.reactivetransfer.tck.ForwardingBackend;
import io.reactivetransfer.tck.ForwardingDomain;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.test.scheduler.VirtualTimeScheduler;

/** On a backend that does not keep out what a lost peer may still write. */
class UnfencedBackendTest {

  private static final KvLayout LAYOUT = KvLayout.opaque(5, 24, 1_000);
  private static final int PAGES = 8;

  private final LoopbackBackend loopback =
      LoopbackBackend.builder().network(new LoopbackNetwork()).build();
  private final ForwardingBackend backend =
      new ForwardingBackend(loopback, (domain, context) -> new Unfenced(domain));
  private TestNode decodeNode;
  private TestNode lost;
  private TestNode lives;
  private PagePool pool;
  private KvDecode decode;

  /** A NIC that says so. */
  private static final class Unfenced extends ForwardingDomain {

    Unfenced(Domain inner) {
      super(inner);
    }

    @Override
    public Capabilities capabilities() {
      Capabilities can = inner.capabilities();
      return can.toBuilder().fencesLostPeers(false).build();
    }
  }

  @BeforeEach
  void open() {
    decodeNode = node();
    lost = node();
    lives = node();
    assertThat(decodeNode.engine.fencesLostPeers()).isFalse();
    pool = PagePool.of(24);
    // No timer brings them back: decode's clock stands still.
    KvCacheOptions standing =
        KvCacheOptions.builder().timers(VirtualTimeScheduler.create()).build();
    decode = decodeNode.open(standing).decode(TestNode.MODEL, decodeNode.memory);
  }

  private TestNode node() {
    return new TestNode(TransferEngineBuilder.create().backend(backend), LAYOUT);
  }

  @AfterEach
  void close() {
    lives.close();
    lost.close();
    decodeNode.close();
  }

  private KvOrder order(TestNode prefill) {
    return KvOrder.into(prefill.seenFrom(decodeNode), pool.reserve(PAGES))
        .tail(decodeNode.tailRegion.slice(0, 100))
        .deadline(PATIENCE)
        .build();
  }

  @Test
  void pagesOfALostPrefillComeBackByThemselvesAndOthersGoOn() {
    long registered = decodeNode.engine.stats().openRegions();
    KvPrefill dies = lost.prefill();
    KvPrefill goesOn = lives.prefill();
    lives.fill(3);
    CompletableFuture<KvArrival> other = decode.receive(order(lives), KEPT).toFuture();
    KvRequest request = await(goesOn.requests().next());
    Sinks.Many<FinishedLayer> layers = Sinks.many().unicast().onBackpressureBuffer();
    CompletableFuture<Void> writes =
        goesOn
            .handOver(
                request, PageList.range(0, PAGES), layers.asFlux(), lives.tailRegion.slice(0, 10))
            .then()
            .toFuture();
    layers.tryEmitNext(FinishedLayer.whole(0, request));

    CompletableFuture<KvArrival> arrival = decode.receive(order(lost), KEPT).toFuture();
    await(dies.requests().next());
    lost.engine.close().block(PATIENCE);

    assertThat(HandOverFixture.failureOf(arrival).reason())
        .isEqualTo(HandOverException.Reason.PEER_LOST);
    await().atMost(PATIENCE).until(() -> pool.free() == 24 - PAGES);
    await().atMost(PATIENCE).until(() -> decode.held() == 0);

    Flux.range(1, 4).subscribe(i -> layers.tryEmitNext(FinishedLayer.whole(i, request)));
    layers.tryEmitComplete();
    writes.join();
    KvArrival arrived = other.join();
    for (int layer = 0; layer < 5; layer++) {
      for (int i = 0; i < PAGES; i++) {
        assertThat(decodeNode.page(layer, arrived.pages().get(i)).mismatch(lives.page(layer, i)))
            .isEqualTo(-1);
      }
    }
    arrived.release();
    await().atMost(PATIENCE).until(() -> pool.free() == 24);
    decode.dispose();
    await().atMost(PATIENCE).until(() -> decodeNode.engine.stats().openRegions() == registered);
  }

  /** Though the registration of the tail is closed before, which takes a NIC its time. */
  @Test
  void whoHearsTheEndFindsThePagesFree() {
    KvPrefill prefill = lives.prefill();
    prefill
        .serve(
            1,
            request ->
                prefill.handOver(
                    request,
                    PageList.range(0, PAGES),
                    Flux.range(0, 5).map(layer -> FinishedLayer.whole(layer, request)),
                    lives.tailRegion.slice(0, 10)))
        .subscribe();
    for (int i = 0; i < 100; i++) {
      Integer free =
          await(decode.receive(order(lives), arrival -> Mono.just(1)).map(one -> pool.free()));
      assertThat(free).isEqualTo(24);
    }
  }

  /** What a prefill node was told is of no use to it after it was lost. */
  @Test
  void aLostPrefillThatGoesOnWritesNowhere() throws InterruptedException {
    FakePrefill fake = new FakePrefill(lost, decodeNode).takingAll();
    AtomicInteger quiet = new AtomicInteger();
    KvOrder order =
        KvOrder.into(lost.seenFrom(decodeNode), PageList.of(0, 1), quiet::incrementAndGet).build();
    CompletableFuture<KvArrival> arrival = decode.receive(order, KEPT).toFuture();
    KvMessage.Request request = fake.nextRequest();
    assertThat(request.target().regions().getFirst())
        .isNotEqualTo(decodeNode.memory.regions().getFirst().descriptor());
    lost.engine.close().block(PATIENCE);
    assertThat(HandOverFixture.failureOf(arrival).reason())
        .isEqualTo(HandOverException.Reason.PEER_LOST);
    await().atMost(PATIENCE).until(() -> quiet.get() == 1);
    // Nobody writes with what it was told any more.
    assertThat(
            Flux.just(request.target().regions().getFirst())
                .map(lives.engine::remote)
                .flatMap(target ->
                    lives.engine.submit(
                        io.reactivetransfer.Write.of(
                            lives.memory.page(0, 0, 0), target.slice(0, 1_000))))
                .then()
                .materialize()
                .block(PATIENCE)
                .isOnError())
        .isTrue();
  }
}
