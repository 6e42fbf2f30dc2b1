package io.reactivetransfer.kvcache;

import static io.reactivetransfer.kvcache.TestNode.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.reactivetransfer.EngineOptions;
import io.reactivetransfer.MemorySlice;
import io.reactivetransfer.Peer;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.core.scheduler.Schedulers;
import reactor.util.retry.Retry;

/**
 * Hand-overs that end at a random moment in a random way, while others get the pages that were
 * given back. However it ends: each order's pages are given back exactly once, and nothing is
 * written to them after that.
 */
class RandomEndsTest {

  private static final long PAGE_BYTES = 20_000;
  private static final KvLayout LAYOUT = KvLayout.opaque(4, 16, PAGE_BYTES);
  private static final int PAGES = 4;
  private static final int ROUNDS = 25;
  private static final int HAND_OVERS = 8;

  /** Asked for, each of four layers, all layers given, the tail, and something that never is. */
  private static final int STEPS = 8;

  /** What happens at a moment of a hand-over. */
  private enum Event {
    NOTHING,
    CANCEL,
    MODEL_FAILS,
    REFUSE,
    /** Its process is closed, and so are all its hand-overs. */
    CLOSE_PREFILL,
    CLOSE_DECODE,
    /** In good order: what runs comes to its end, and then its process is closed. */
    DISPOSE_PREFILL,
    DISPOSE_DECODE
  }

  private final AtomicInteger foreign = new AtomicInteger();
  private final AtomicInteger arrived = new AtomicInteger();
  private final AtomicInteger ended = new AtomicInteger();

  @Test
  void everyPageIsGivenBackOnceAndIsNotWrittenToAfterwards(TestReporter reporter) {
    long seed = Long.getLong("reactivetransfer.kvcache.seed", System.nanoTime());
    reporter.publishEntry("seed", String.valueOf(seed));
    Random random = new Random(seed);
    for (int round = 0; round < ROUNDS; round++) {
      new Round(random, "seed " + seed + ", round " + round).run();
    }
    assertThat(foreign).as("seed %d", seed).hasValue(0);
    // Otherwise it has not tested what it should.
    assertThat(arrived.get()).as("seed %d", seed).isGreaterThan(ROUNDS * HAND_OVERS / 20);
    assertThat(ended.get()).as("seed %d", seed).isGreaterThan(ROUNDS * HAND_OVERS / 20);
  }

  private static byte pattern(int number) {
    return (byte) (1 + number % 251);
  }

  /** Two nodes, some hand-overs, and what happens to them. */
  private final class Round {
    private final String name;
    private final Event[] events = new Event[HAND_OVERS];
    private final int[] steps = new int[HAND_OVERS];
    private final Map<Integer, Sinks.Empty<Void>> cancels = new ConcurrentHashMap<>();
    private final List<AtomicInteger> quiet = new ArrayList<>();

    /** 1 for those that were ordered: a cancel may come before there are pages. */
    private final AtomicIntegerArray made = new AtomicIntegerArray(HAND_OVERS);

    private final PagePool targetPool = PagePool.of(LAYOUT.pages());
    private final PagePool sourcePool = PagePool.of(64);
    private final int base;
    private TestNode decodeNode;
    private TestNode prefillNode;
    private KvDecode decode;
    private KvPrefill prefill;

    Round(Random random, String name) {
      this.name = name;
      this.base = random.nextInt(200);
      boolean fatal = false;
      for (int i = 0; i < HAND_OVERS; i++) {
        Event event = Event.values()[random.nextInt(Event.values().length)];
        // One that ends everything for each round is enough, or little else would happen.
        boolean endsAll = event.ordinal() >= Event.CLOSE_PREFILL.ordinal();
        events[i] = endsAll && fatal ? Event.values()[random.nextInt(3)] : event;
        fatal |= endsAll;
        steps[i] = random.nextInt(STEPS);
        quiet.add(new AtomicInteger());
        cancels.put(i, Sinks.empty());
      }
    }

    void run() {
      EngineOptions options = EngineOptions.builder().nics(4).build();
      try (TestNode decoding = new TestNode("loopback", LAYOUT, options);
          TestNode prefilling =
              new TestNode("loopback", KvLayout.opaque(4, 64, PAGE_BYTES), options)) {
        decodeNode = decoding;
        prefillNode = prefilling;
        decode = decoding.decode();
        prefill = prefilling.prefill();
        prefill.serve(3, this::serve).subscribe(end -> {}, failed -> {});
        Peer peer = prefilling.seenFrom(decoding);
        Flux.range(0, HAND_OVERS).flatMap(i -> receive(peer, i), 4).then().block(PATIENCE);
        await()
            .alias(name + Arrays.toString(events) + Arrays.toString(steps))
            .atMost(PATIENCE)
            .untilAsserted(() -> {
              assertThat(decode.held()).isZero();
              assertThat(targetPool).hasToString("16 of 16 pages are free");
            });
        for (int i = 0; i < HAND_OVERS; i++) {
          assertThat(quiet.get(i)).as("%s: hand-over %d", name, i).hasValue(made.get(i));
        }
      }
    }

    private void step(int number, int step) {
      if (steps[number] != step) {
        return;
      }
      switch (events[number]) {
        case CANCEL -> cancels.get(number).tryEmitEmpty();
        case CLOSE_PREFILL -> prefillNode.engine.close().subscribe();
        case CLOSE_DECODE -> decodeNode.engine.close().subscribe();
        case DISPOSE_PREFILL -> {
          prefillNode.cache().dispose();
          prefillNode.cache().closed().then(prefillNode.engine.close()).subscribe();
        }
        case DISPOSE_DECODE -> decodeNode.cache().dispose();
        default -> {}
      }
    }

    private boolean is(int number, Event event, int step) {
      return events[number] == event && steps[number] == step;
    }

    private Flux<?> serve(KvRequest request) {
      int number = request.body().getInt();
      step(number, 0);
      if (events[number] == Event.REFUSE) {
        return prefill.refuse(request, "by chance").flux();
      }
      PageReservation source = sourcePool.reserve(PAGES);
      for (int layer = 0; layer < LAYOUT.layers(); layer++) {
        for (int page : source.pages().toArray()) {
          prefillNode.page(layer, page).fill(pattern(base + number));
        }
      }
      Flux<FinishedLayer> layers =
          Flux.range(0, LAYOUT.layers())
              .map(layer -> FinishedLayer.whole(layer, request))
              .publishOn(Schedulers.parallel(), 1)
              .doOnNext(layer -> {
                step(number, 1 + layer.layer());
                if (is(number, Event.MODEL_FAILS, 1 + layer.layer())) {
                  throw new IllegalStateException("by chance");
                }
              })
              .doOnComplete(() -> step(number, 5));
      return prefill
          .handOver(request, source.pages(), layers, prefillNode.tailRegion.slice(0, 8))
          .doOnNext(written -> step(number, written instanceof KvWritten.Tail ? 6 : -1))
          .doFinally(signal -> source.release());
    }

    private Mono<Void> receive(Peer peer, int number) {
      return Mono.defer(
              () -> {
                // Before there are pages, since it is refused where the engine has closed.
                MemorySlice tail = decodeNode.tailRegion.slice(8L * number, 8);
                PageReservation pages = targetPool.reserve(PAGES, name + ", hand-over " + number);
                KvOrder.Builder order =
                    KvOrder.into(
                            peer,
                            pages.pages(),
                            () -> {
                              quiet.get(number).incrementAndGet();
                              pages.release();
                            })
                        .tail(tail)
                        .deadline(Duration.ofSeconds(15))
                        .body(ByteBuffer.allocate(4).putInt(0, number));
                if (number % 2 == 0) {
                  order.onLayer(layer -> {});
                }
                made.set(number, 1);
                return decode.receive(
                    order.build(), come -> useAWhile(come, pattern(base + number)));
              })
          .retryWhen(
              Retry.fixedDelay(2_000, Duration.ofMillis(5))
                  .filter(PagesExhaustedException.class::isInstance))
          .takeUntilOther(cancels.get(number).asMono())
          .onErrorResume(failure -> {
            ended.incrementAndGet();
            return Mono.empty();
          });
    }

    /** Long enough for a late write to come. */
    private Mono<Void> useAWhile(KvArrival arrival, byte pattern) {
      arrived.incrementAndGet();
      AtomicBoolean gone = new AtomicBoolean();
      look(arrival, pattern, gone);
      return Mono.delay(Duration.ofMillis(2))
          .doOnNext(later -> look(arrival, pattern, gone))
          .then()
          .doOnCancel(() -> gone.set(true));
    }

    /** What is seen does not count when the pages were given back meanwhile. */
    private void look(KvArrival arrival, byte pattern, AtomicBoolean gone) {
      int wrong = 0;
      for (int layer = 0; layer < LAYOUT.layers(); layer++) {
        for (int page : arrival.pages().toArray()) {
          if (!TestNode.consistsOf(decodeNode.page(layer, page), pattern)) {
            wrong++;
          }
        }
      }
      if (!gone.get()) {
        foreign.addAndGet(wrong);
      }
    }
  }
}
