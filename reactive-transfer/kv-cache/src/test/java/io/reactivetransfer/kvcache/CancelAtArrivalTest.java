package io.reactivetransfer.kvcache;

import static io.reactivetransfer.kvcache.TestNode.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.reactivetransfer.PageList;
import io.reactivetransfer.Peer;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Hooks;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.core.scheduler.Schedulers;
import reactor.util.retry.Retry;

/**
 * Cancels thousands of hand-overs at the moment when they arrive. Whoever wins, no page is lost,
 * and nothing is dropped on Reactor's hooks but results that the cancelling operator, which stands
 * behind the hand-over, had no more use for: Reactor drops a value that meets a cancel there.
 */
@Timeout(600)
class CancelAtArrivalTest {

  private static final KvLayout LAYOUT = KvLayout.opaque(1, 8, 64);
  private static final PageList SOURCE = PageList.of(3, 5);
  private static final int HAND_OVERS = 120 * Integer.getInteger("reactivetransfer.rounds", 1);
  private static final int AT_ONCE = 4;

  /** How long prefill's thread turns between its last write and the cancel: up to 2^20 ns. */
  private static final int DOUBLINGS = 21;

  private final Map<Integer, Sinks.Empty<Void>> cancels = new ConcurrentHashMap<>();
  private final AtomicInteger used = new AtomicInteger();
  private final Queue<Throwable> droppedErrors = new ConcurrentLinkedQueue<>();
  private final Queue<Throwable> failedToServe = new ConcurrentLinkedQueue<>();
  private final Queue<Object> droppedValues = new ConcurrentLinkedQueue<>();

  @BeforeEach
  void watchHooks() {
    Hooks.onErrorDropped(droppedErrors::add);
    Hooks.onNextDropped(droppedValues::add);
  }

  @AfterEach
  void resetHooks() {
    Hooks.resetOnErrorDropped();
    Hooks.resetOnNextDropped();
  }

  @Test
  void noPageIsLostWithAnotherThreadBehind() {
    run(arrivals -> arrivals.publishOn(Schedulers.parallel()));
  }

  @Test
  void noPageIsLostWithNothingBehind() {
    run(arrivals -> arrivals);
  }

  private void run(UnaryOperator<Mono<Integer>> behind) {
    PagePool pool = PagePool.of(LAYOUT.pages());
    try (TestNode decodeNode = new TestNode("loopback", LAYOUT);
        TestNode prefillNode = new TestNode("loopback", LAYOUT)) {
      KvDecode decode = decodeNode.decode();
      KvPrefill prefill = prefillNode.prefill();
      prefill
          .serve(64, request -> serve(prefillNode, prefill, request).doOnError(failedToServe::add))
          .subscribe();
      Peer peer = prefillNode.seenFrom(decodeNode);

      Flux.range(1, HAND_OVERS)
          .flatMap(i -> receive(decodeNode, decode, pool, peer, i, behind), AT_ONCE)
          // For each of them, not for all together: a busy machine takes its time.
          .timeout(PATIENCE)
          .then()
          .block();

      decode.settled().block(PATIENCE);
      await().atMost(PATIENCE).until(() -> pool.free() == LAYOUT.pages());
      assertThat(decode.held()).isZero();
      assertThat(List.copyOf(droppedErrors)).isEmpty();
      // Else nobody was cancelled at that moment: what fails must be the cancel.
      assertThat(failedToServe)
          .allMatch(failure ->
              failure instanceof HandOverException ended
                  && ended.reason() == HandOverException.Reason.CANCELLED);
      assertThat(List.copyOf(droppedValues)).allMatch(this::isResult).doesNotHaveDuplicates();
      // Otherwise the two have never met.
      assertThat(used.get()).isBetween(HAND_OVERS / 50, HAND_OVERS - HAND_OVERS / 50);
    }
  }

  /** What the scope of an arrival came to; its pages were back before it was emitted. */
  private boolean isResult(Object value) {
    return value instanceof Integer number && number >= 1 && number <= used.get();
  }

  private Mono<Integer> receive(
      TestNode node,
      KvDecode decode,
      PagePool pool,
      Peer prefill,
      int number,
      UnaryOperator<Mono<Integer>> behind) {
    Sinks.Empty<Void> cancel = Sinks.empty();
    cancels.put(number, cancel);
    Mono<Integer> arrival =
        Mono.defer(() -> {
          KvOrder order =
              KvOrder.into(prefill, pool.reserve(SOURCE.size()))
                  .tail(node.tailRegion.slice(8L * (number % 64), 8))
                  .deadline(PATIENCE)
                  .body(ByteBuffer.allocate(4).putInt(0, number))
                  .build();
          return decode.receive(order, arrived -> Mono.fromCallable(used::incrementAndGet));
        });
    // Pages of a hand-over that was cancelled come back when prefill has confirmed, and the thread
    // that gives them back may stand still: until then the same one is tried again.
    Retry untilBack =
        Retry.fixedDelay(Long.MAX_VALUE, Duration.ofMillis(1))
            .filter(PagesExhaustedException.class::isInstance);
    return behind.apply(arrival.retryWhen(untilBack)).takeUntilOther(cancel.asMono());
  }

  private Flux<KvWritten> serve(TestNode node, KvPrefill prefill, KvRequest request) {
    int number = request.body().getInt();
    long nanos = 1L << new Random(31L * number).nextInt(DOUBLINGS);
    Sinks.Empty<Void> cancel = cancels.remove(number);
    return prefill
        .handOver(
            request,
            SOURCE,
            Flux.just(FinishedLayer.whole(0, request)),
            node.tailRegion.slice(0, 8))
        .doOnComplete(() -> {
          long begin = System.nanoTime();
          boolean turns = true;
          while (turns) { // without Thread.onSpinWait(), which is an error on this thread
            turns = System.nanoTime() - begin < nanos;
          }
          cancel.tryEmitEmpty();
        });
  }
}
