package io.reactivetransfer.kvcache;

import static io.reactivetransfer.kvcache.TestNode.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.reactivetransfer.EngineOptions;
import io.reactivetransfer.Peer;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.core.scheduler.Schedulers;

/**
 * Cancels hand-overs at random moments, while others get the pages that were freed. A write that
 * came late would be found in the pages of somebody else.
 */
class CancelStormTest {

  private static final long PAGE_BYTES = 40_000;
  private static final KvLayout LAYOUT = KvLayout.opaque(4, 16, PAGE_BYTES);
  private static final int PAGES = 4;
  private static final int HAND_OVERS = 60 * Integer.getInteger("reactivetransfer.rounds", 1);

  /** When a hand-over is cancelled: at a step of it, so that no moment depends on a clock. */
  private static final int NEVER = 7;

  private final Map<Integer, Storm> storms = new ConcurrentHashMap<>();
  private final AtomicInteger arrived = new AtomicInteger();
  private final AtomicInteger foreign = new AtomicInteger();
  private final AtomicInteger crowdedOut = new AtomicInteger();

  @ParameterizedTest
  @CsvSource({"loopback,1", "tcp,2"})
  void noByteOfACancelledHandOverLandsInAnothersPages(String backend, long seed) {
    Random random = new Random(seed);
    // Several NICs: what is in flight on one may land after what was posted later on another.
    EngineOptions options = EngineOptions.builder().nics(4).build();
    PagePool targetPool = PagePool.of(LAYOUT.pages());
    PagePool sourcePool = PagePool.of(64);
    try (TestNode decodeNode = new TestNode(backend, LAYOUT, options);
        TestNode prefillNode = new TestNode(backend, KvLayout.opaque(4, 64, PAGE_BYTES), options)) {
      KvDecode decode = decodeNode.decode();
      KvPrefill prefill = prefillNode.prefill();
      prefill
          .requests()
          .flatMap(request -> serve(prefillNode, prefill, sourcePool, request), 16)
          .subscribe();
      Peer peer = prefillNode.seenFrom(decodeNode);

      Flux.range(1, HAND_OVERS)
          .doOnNext(i -> storms.put(i, new Storm(random.nextInt(NEVER + 1), Sinks.empty())))
          .flatMap(i -> receive(decodeNode, decode, targetPool, peer, i).thenReturn(i), 3)
          .timeout(PATIENCE) // of each, however many they are
          .then()
          .block();

      decode.settled().block(PATIENCE);
      // An arrival may be looked at on one thread while it is cancelled on another.
      await().atMost(PATIENCE).until(() -> targetPool.free() == LAYOUT.pages());
      assertThat(foreign).hasValue(0);
      assertThat(decode.held()).isZero();
      // Otherwise it has not tested what it should.
      assertThat(arrived.get()).isBetween(HAND_OVERS / 20, HAND_OVERS - HAND_OVERS / 20);
      assertThat(crowdedOut.get()).isLessThan(HAND_OVERS / 2);
    }
  }

  /** Cancels one hand-over when it has come so far. */
  private record Storm(int atStep, Sinks.Empty<Void> cancel) {
    void step(int step) {
      if (step == atStep) {
        cancel.tryEmitEmpty();
      }
    }
  }

  private static byte pattern(int number) {
    return (byte) (1 + number % 251);
  }

  private Flux<KvWritten> serve(
      TestNode node, KvPrefill prefill, PagePool pool, KvRequest request) {
    int number = request.body().getInt();
    Storm storm = storms.get(number);
    storm.step(0);
    PageReservation source = pool.reserve(PAGES);
    for (int layer = 0; layer < LAYOUT.layers(); layer++) {
      for (int page : source.pages().toArray()) {
        node.page(layer, page).fill(pattern(number));
      }
    }
    Flux<FinishedLayer> layers =
        Flux.range(0, LAYOUT.layers())
            .map(layer -> FinishedLayer.whole(layer, request))
            .publishOn(Schedulers.parallel(), 1)
            .doOnNext(layer -> storm.step(1 + layer.layer()))
            .doOnComplete(() -> storm.step(5));
    return prefill
        .handOver(request, source.pages(), layers, node.tailRegion.slice(0, 8))
        .doOnNext(written -> storm.step(written instanceof KvWritten.Tail ? 6 : -1))
        .onErrorComplete(HandOverException.class)
        .doFinally(signal -> source.release());
  }

  private Mono<Void> receive(
      TestNode node, KvDecode decode, PagePool pool, Peer prefill, int number) {
    return Mono.defer(
            () -> {
              KvOrder order =
                  KvOrder.into(prefill, pool.reserve(PAGES))
                      .tail(node.tailRegion.slice(8L * (number % 64), 8))
                      .deadline(PATIENCE)
                      .body(ByteBuffer.allocate(4).putInt(0, number))
                      .build();
              return decode.receive(order, arrival -> useAWhile(node, arrival, pattern(number)));
            })
        .takeUntilOther(storms.get(number).cancel().asMono())
        .onErrorResume(
            PagesExhaustedException.class,
            e -> {
              crowdedOut.incrementAndGet();
              // The thread that gives the pages back may stand still behind that.
              return decode.settled().then(Mono.delay(Duration.ofMillis(1)).then());
            });
  }

  /** Long enough for a late write to come. */
  private Mono<Void> useAWhile(TestNode node, KvArrival arrival, byte pattern) {
    arrived.incrementAndGet();
    AtomicBoolean gone = new AtomicBoolean();
    look(node, arrival, pattern, gone);
    return Mono.delay(Duration.ofMillis(2))
        .doOnNext(later -> look(node, arrival, pattern, gone))
        .then()
        .doOnCancel(() -> gone.set(true));
  }

  /** What is seen does not count when the pages were given back meanwhile. */
  private void look(TestNode node, KvArrival arrival, byte pattern, AtomicBoolean gone) {
    int wrong = 0;
    for (int layer = 0; layer < LAYOUT.layers(); layer++) {
      for (int page : arrival.pages().toArray()) {
        if (!TestNode.consistsOf(node.page(layer, page), pattern)) {
          wrong++;
        }
      }
    }
    if (!gone.get()) {
      foreign.addAndGet(wrong);
    }
  }
}
