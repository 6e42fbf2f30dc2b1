package io.reactivetransfer.kvcache;

import static io.reactivetransfer.kvcache.TestNode.MODEL;
import static io.reactivetransfer.kvcache.TestNode.PATIENCE;
import static io.reactivetransfer.kvcache.TestNode.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivetransfer.PageList;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/** A scheduler for deadlines that takes nothing any more: all ends as ever, and is told. */
class LostTimersTest {

  private static final KvLayout LAYOUT = KvLayout.opaque(2, 8, 64);

  private final TestNode decodeNode = new TestNode("loopback", LAYOUT);
  private final TestNode prefillNode = new TestNode("loopback", LAYOUT);
  private final Scheduler given = Schedulers.newSingle("timers");
  private final AtomicReference<RuntimeException> broken = new AtomicReference<>();

  /** One that fails in another way than by a rejection. */
  private final class Broken implements Scheduler {
    @Override
    public Disposable schedule(Runnable task) {
      return given.schedule(task);
    }

    @Override
    public Disposable schedule(Runnable task, long delay, TimeUnit unit) {
      RuntimeException failure = broken.get();
      if (failure != null) {
        throw failure;
      }
      return given.schedule(task, delay, unit);
    }

    @Override
    public Worker createWorker() {
      return given.createWorker();
    }
  }

  @AfterEach
  void close() {
    given.dispose();
    prefillNode.close();
    decodeNode.close();
  }

  private CompletableFuture<Integer> order(KvDecode decode) {
    return order(decode, PATIENCE);
  }

  private CompletableFuture<Integer> order(KvDecode decode, Duration deadline) {
    KvOrder order =
        KvOrder.into(prefillNode.seenFrom(decodeNode), PageList.of(0), () -> {})
            .deadline(deadline)
            .build();
    return decode.receive(order, come -> Mono.just(1)).toFuture();
  }

  private static Flux<KvWritten> handOver(KvPrefill prefill, KvRequest request) {
    return prefill.handOver(
        request,
        PageList.of(0),
        Flux.range(0, 2).map(layer -> FinishedLayer.whole(layer, request)));
  }

  @Test
  void requestsAreHandedOverAndCancelledAsEver() {
    KvCache cache = KvCache.open(prefillNode.engine, "prefill", given);
    KvPrefill prefill = cache.prefill(MODEL, prefillNode.memory);
    KvDecode decode = decodeNode.decode();
    CompletableFuture<Integer> first = order(decode);
    KvRequest request = await(prefill.requests().next());
    given.dispose();
    handOver(prefill, request).blockLast(PATIENCE);
    assertThat(await(Mono.fromFuture(first))).isEqualTo(1);

    // One that comes now is kept, its time passes, and the decode node hears of it.
    CompletableFuture<Integer> second = order(decode, Duration.ofSeconds(10));
    KvRequest late = await(prefill.requests().next());
    late.ended().block(PATIENCE);
    assertThat(HandOverFixture.failureOf(second).reason())
        .isEqualTo(HandOverException.Reason.DEADLINE);
    decode.settled().block(PATIENCE);
    cache.dispose();
    cache.closed().block(PATIENCE);
  }

  @Test
  void decodeEndsItsOrdersAsEver() {
    KvDecode decode =
        KvCache.open(decodeNode.engine, "decode", given).decode(MODEL, decodeNode.memory);
    prefillNode.prefill();
    given.dispose();
    assertThat(HandOverFixture.failureOf(order(decode, Duration.ofMillis(200))).reason())
        .isEqualTo(HandOverException.Reason.DEADLINE);
    decode.settled().block(PATIENCE);
    decode.dispose();
    decode.closed().block(PATIENCE);
  }

  @Test
  void whatCannotBeTimedIsRefusedOrFails() {
    KvCache cache = KvCache.open(prefillNode.engine, "prefill", new Broken());
    KvPrefill prefill = cache.prefill(MODEL, prefillNode.memory);
    KvDecode decode = decodeNode.decode();
    CompletableFuture<Integer> first = order(decode);
    KvRequest request = await(prefill.requests().next());
    broken.set(new IllegalStateException("no more timers"));
    assertThatThrownBy(() -> handOver(prefill, request).blockLast(PATIENCE))
        .isInstanceOf(HandOverException.class)
        .hasMessageContaining("no more timers");
    request.ended().block(PATIENCE);
    request.quiet().block(PATIENCE);
    order(decode).cancel(true);
    broken.set(null);
    // It could not be told while nothing could be timed; asked, it says so.
    first.cancel(true);
    decode.settled().block(PATIENCE);
    cache.dispose();
    cache.closed().block(PATIENCE);
  }
}
