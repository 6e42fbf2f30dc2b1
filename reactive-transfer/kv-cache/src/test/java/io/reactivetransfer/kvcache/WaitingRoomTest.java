package io.reactivetransfer.kvcache;

import static io.reactivetransfer.kvcache.TestNode.KEPT;
import static io.reactivetransfer.kvcache.TestNode.MODEL;
import static io.reactivetransfer.kvcache.TestNode.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.ImmLease;
import io.reactivetransfer.Message;
import io.reactivetransfer.PageList;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;

/** Requests that wait are bounded by their bytes and by their sender, and who is over is told. */
class WaitingRoomTest {

  private static final KvLayout LAYOUT = KvLayout.opaque(2, 8, 64);

  private static EngineId engine(long number) {
    return new EngineId(7, number);
  }

  @Test
  void bytesAreBoundedInAllAndOfOneSender() {
    WaitingRoom room = new WaitingRoom(1_000);
    assertThat(room.enter(engine(1), 400)).isNull();
    assertThat(room.enter(engine(1), 101))
        .isEqualTo(
            "expected requests of at most 500 bytes of one decode node to wait at this prefill"
                + " node, got 101 more beside 400; order later, or elsewhere");
    assertThat(room.enter(engine(1), 100)).isNull();
    assertThat(room.enter(engine(2), 500)).isNull();
    assertThat(room.enter(engine(3), 1))
        .isEqualTo(
            "expected requests of at most 1000 bytes to wait at this prefill node, got 1 more"
                + " beside 1000; order later, or elsewhere");
    room.leave(engine(1), 100);
    assertThat(room.enter(engine(3), 100)).isNull();
  }

  @Test
  void oneAloneMayWaitHoweverLongItIs() {
    WaitingRoom room = new WaitingRoom(1_000);
    assertThat(room.enter(engine(1), Long.MAX_VALUE)).isNull();
    assertThat(room.enter(engine(2), 1)).isNotNull();
    room.leave(engine(1), Long.MAX_VALUE);
    assertThat(room.enter(engine(2), 600)).isNull();
    assertThatThrownBy(() -> room.leave(engine(1), 1)).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void oneSenderHasHalfOfThePlaces() {
    WaitingRoom room = new WaitingRoom(1L << 30);
    for (int i = 0; i < 512; i++) {
      assertThat(room.enter(engine(1), 10)).isNull();
    }
    assertThat(room.enter(engine(1), 10))
        .startsWith("expected at most 512 requests of one decode node to wait");
    assertThat(room.enter(engine(2), 10)).isNull();
    room.leave(engine(1), 10);
    assertThat(room.enter(engine(1), 10)).isNull();
  }

  @Test
  void whoIsOverHearsWhyAndOthersGetIn() {
    try (TestNode prefillNode = new TestNode("loopback", LAYOUT);
        TestNode one = new TestNode("loopback", LAYOUT);
        TestNode other = new TestNode("loopback", LAYOUT)) {
      KvCacheOptions options = KvCacheOptions.builder().maxWaitingBytes(10_000).build();
      KvPrefill prefill =
          KvCache.open(prefillNode.engine, "prefill", options).prefill(MODEL, prefillNode.memory);
      KvDecode decode = one.decode();
      CompletableFuture<?> first = decode.receive(order(prefillNode, one), KEPT).toFuture();
      HandOverException over =
          HandOverFixture.failureOf(decode.receive(order(prefillNode, one), KEPT).toFuture());
      assertThat(over.reason()).isEqualTo(HandOverException.Reason.REFUSED);
      assertThat(over)
          .hasMessageContaining("expected requests of at most 5000 bytes of one decode node");
      CompletableFuture<?> second =
          other.decode().receive(order(prefillNode, other), KEPT).toFuture();
      prefill
          .serve(
              1,
              request ->
                  prefill.handOver(
                      request,
                      PageList.of(0),
                      Flux.range(0, 2).map(layer -> FinishedLayer.whole(layer, request))))
          .subscribe();
      first.join();
      second.join();
      // What was taken takes up no room any more.
      decode.receive(order(prefillNode, one), KEPT).block(PATIENCE);
    }
  }

  private static KvOrder order(TestNode prefill, TestNode decode) {
    return KvOrder.into(prefill.seenFrom(decode), PageList.of(0), () -> {})
        .body(ByteBuffer.allocate(4_000))
        .deadline(PATIENCE)
        .build();
  }

  /** Somebody who does not wait with what he sends, as a {@link KvDecode} does. */
  @Test
  void whoSendsMoreThanHisShareIsRefusedTheRest() {
    try (TestNode prefillNode = new TestNode("loopback", LAYOUT);
        TestNode flood = new TestNode("loopback", LAYOUT);
        TestNode other = new TestNode("loopback", LAYOUT)) {
      KvPrefill prefill = prefillNode.prefill();
      ImmLease lease = flood.engine.lease();
      AtomicInteger refused = new AtomicInteger();
      CompletableFuture<Void> enough =
          flood
              .engine
              .messages(KvInbox.ANSWERS)
              .map(Message::bytes)
              .map(KvCodec::decode)
              .cast(KvMessage.End.class)
              .doOnNext(end ->
                  assertThat(end.text()).startsWith("expected at most 512 requests of one decode"))
              .doOnNext(end -> refused.incrementAndGet())
              .take(88)
              .then()
              .toFuture();
      for (int id = 1; id <= 600; id++) {
        flood
            .engine
            .send(
                prefillNode.seenFrom(flood),
                KvInbox.REQUESTS,
                KvCodec.encode(request(flood, lease, id)))
            .block(PATIENCE);
      }
      enough.join();
      CompletableFuture<?> served =
          other.decode().receive(order(prefillNode, other), KEPT).toFuture();
      prefill
          .requests()
          .filter(request -> request.decode().id().equals(other.engine.id()))
          .flatMap(request ->
              prefill.handOver(
                  request,
                  PageList.of(0),
                  Flux.range(0, 2).map(layer -> FinishedLayer.whole(layer, request))))
          .subscribe();
      served.join();
      assertThat(refused).hasValue(88);
    }
  }

  private static KvMessage.Request request(TestNode from, ImmLease lease, long id) {
    return new KvMessage.Request(
        id,
        "flood",
        MODEL,
        new KvMessage.Target(
            LAYOUT, List.of(from.memory.regions().getFirst().descriptor()), PageList.of(3), null),
        new KvMessage.Imms(lease.imm(), 1),
        2,
        KvMapping.between(LAYOUT, LAYOUT).checksum(),
        new KvSpan(0, 1),
        Duration.ofSeconds(60),
        ByteBuffer.allocate(0));
  }

  @Test
  void optionsThatCannotBeAreRefused() {
    assertThat(KvCacheOptions.defaults().maxWaitingBytes()).isEqualTo(64 << 20);
    assertThat(KvCacheOptions.defaults().maxDeadline()).isEqualTo(Duration.ofMinutes(10));
    assertThatThrownBy(() -> KvCacheOptions.builder().maxWaitingBytes(0))
        .hasMessage("expected 1 or more bytes of requests that may wait, got 0");
    for (Duration wrong : List.of(Duration.ZERO, Duration.ofDays(25), Duration.ofNanos(1))) {
      assertThatThrownBy(() -> KvCacheOptions.builder().maxDeadline(wrong))
          .hasMessage("expected a longest deadline of 1 ms to 24 days, got " + wrong);
    }
  }
}
