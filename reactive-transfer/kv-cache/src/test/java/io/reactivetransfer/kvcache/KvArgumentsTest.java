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
import io.reactivetransfer.PageList;
import io.reactivetransfer.Peer;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;

/** What cannot work is refused when it is made, in words that say what was expected. */
@ParameterizedClass
@ValueSource(strings = "loopback")
class KvArgumentsTest extends HandOverFixture {

  /** Other tests say what becomes of one that no message can carry. */
  @Test
  void aBodyMayBeAsLongAsAMessage() {
    KvOrder order = ordered().body(ByteBuffer.allocate(1_000_000)).build();
    CompletableFuture<KvArrival> arrival = decode.receive(order, KEPT).toFuture();
    KvRequest request = nextRequest();
    assertThat(request.body().remaining()).isEqualTo(1_000_000);
    prefill.refuse(request, "seen").block(PATIENCE);
    assertThat(failureOf(arrival).reason()).isEqualTo(HandOverException.Reason.REFUSED);
    requireSettled();
  }

  private HandOverFixtureOrder wrong(int... pages) {
    return new HandOverFixtureOrder(PageList.of(pages));
  }

  /** An order for pages that nobody has reserved, and how often they were given back. */
  private final class HandOverFixtureOrder {
    final AtomicInteger quiet = new AtomicInteger();
    final KvOrder.Builder order;

    HandOverFixtureOrder(PageList pages) {
      order = KvOrder.into(peer(), pages, quiet::incrementAndGet);
    }

    void requireRefused(String message) {
      assertThatThrownBy(() -> await(decode.receive(order.build(), KEPT)))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage(message);
      assertThat(quiet).hasValue(1);
    }
  }

  @Test
  void anOrderThatDoesNotFitTheMemoryIsRefusedAndItsPagesAreGivenBack() {
    wrong(1, 24).requireRefused("expected pages of 0 to 23, got 24");
    HandOverFixtureOrder tooFew = wrong(1, 2);
    tooFew.order.tokens(3);
    tooFew.requireRefused("expected 3 pages of 1 tokens for tokens 0 to 3 (exclusive), got 2");
    assertThatThrownBy(() -> wrong(1, 1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("more than once");
  }

  @ParameterizedTest
  @ValueSource(longs = {Long.MIN_VALUE, -1, 0, 1L << 31, Long.MAX_VALUE})
  void anOrderHasADeadlineThatCanBeKept(long seconds) {
    assertThatThrownBy(() -> ordered().deadline(Duration.ofSeconds(seconds)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("expected a deadline of 1 ms to 24 days, got ");
  }

  @Test
  void aTailAloneHasNoTokens() {
    KvOrder.Builder order =
        KvOrder.tailOnly(peer(), decodeNode.tailRegion.slice(0, 8), () -> {}).firstToken(17);
    assertThatThrownBy(() -> order.tokens(5))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("expected no number of tokens for a tail alone, got 5");
    assertThat(order.build().spanIn(LAYOUT)).isEqualTo(new KvSpan(17, 0));
  }

  @Test
  void anOrderIsUsedOnce() {
    prefill.serve(1, request -> prefill.refuse(request, "no")).subscribe();
    HandOverFixtureOrder once = wrong(1, 2);
    KvOrder order = once.order.build();
    failureOf(decode.receive(order, KEPT).toFuture());
    assertThatThrownBy(() -> await(decode.receive(order, KEPT)))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("expected an order that was not used before");
    org.awaitility.Awaitility.await().atMost(PATIENCE).until(() -> once.quiet.get() == 1);
  }

  @Test
  void anOrderIsNotForTheSamePrefillTwice() {
    assertThatThrownBy(() -> ordered().from(peer()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("expected each prefill node once");
  }

  @Test
  void aReplicaIsChosenByTheRankOfTheTarget() {
    Peer other = decodeNode.seenFrom(prefillNode);
    assertThat(KvOrder.replica(List.of(peer(), other), 3)).isSameAs(other);
    assertThat(KvOrder.replica(List.of(peer(), other), 4)).isSameAs(peer());
  }

  @Test
  void memoryThatPrefillMayNotWriteToIsRefused() {
    MemoryRegion local =
        await(decodeNode.engine.register(new HostMemory(decodeNode.pages), Access.LOCAL));
    KvMemory memory = KvMemory.of(local, LAYOUT);
    assertThatThrownBy(() -> decodeNode.cache().decode(TestNode.MODEL, memory))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("expected KV memory registered with REMOTE_WRITE, got LOCAL");
    MemorySlice tail = local.slice(0, 8);
    assertThatThrownBy(() -> ordered().tail(tail))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("expected a tail in a region registered with REMOTE_WRITE, got LOCAL");
  }

  @Test
  void aChunkBeyondTheRequestIsNamed() {
    CompletableFuture<KvArrival> arrival = decode.receive(order(), KEPT).toFuture();
    KvRequest request = nextRequest();
    Flux<FinishedLayer> layers = Flux.just(new FinishedLayer(3, new KvSpan(PAGES - 1, 2)));
    assertThat(failureOf(handOver(request, layers).then().toFuture()))
        .hasMessageContaining(
            "expected a chunk of layer 3 within tokens 0 to 8 (exclusive), got tokens 7 to 9");
    assertThat(failureOf(arrival)).hasMessageContaining("expected a chunk of layer 3");
    requireSettled();
  }

  @Test
  void aLayerThatTheModelHasNotIsNamed() {
    CompletableFuture<KvArrival> arrival = decode.receive(order(), KEPT).toFuture();
    KvRequest request = nextRequest();
    Flux<FinishedLayer> layers = Flux.just(new FinishedLayer(LAYOUT.layers(), new KvSpan(0, 1)));
    assertThat(failureOf(handOver(request, layers).then().toFuture()))
        .hasMessageContaining("expected a layer of 0 to 4, got 5");
    assertThat(failureOf(arrival)).hasMessageContaining("expected a layer of 0 to 4, got 5");
    requireSettled();
  }
}
