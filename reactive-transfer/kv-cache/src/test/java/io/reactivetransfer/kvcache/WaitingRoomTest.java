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
import io.reactivetransfer.TraceContext;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;

/** Requests that wait are bounded by their bytes and by their sender; who is over is told. */
class WaitingRoomTest {

  private static final KvLayout LAYOUT = KvLayout.opaque(2, 8, 64);

  private static EngineId engine(long number) {
    return new EngineId(7, number);
  }

  private static final int MIB = 1 << 20;

  @Test
  void bytesOfOneSenderAreBoundedForEachModel() {
    WaitingRoom room = new WaitingRoom(64L * MIB, model -> true);
    assertThat(room.enter(engine(1), "a", 5 * MIB)).isNull();
    assertThat(room.enter(engine(1), "a", 3 * MIB + 1))
        .isEqualTo(
            "expected at most 512 requests and 8388608 bytes of one decode node and one model to"
                + " wait at this prefill node, got 3145729 bytes more beside 1 requests of"
                + " 5242880; a decode node sends the rest when it has heard of these");
    assertThat(room.enter(engine(1), "b", 8 * MIB)).isNull();
    assertThat(room.enter(engine(2), "a", 8 * MIB)).isNull();
    assertThat(room.enter(engine(1), "a", 3 * MIB)).isNull();
    room.leave(engine(1), "a", 5 * MIB);
    assertThat(room.enter(engine(1), "a", 5 * MIB)).isNull();
  }

  @Test
  void oneAloneMayWaitHoweverLongItIs() {
    WaitingRoom room = new WaitingRoom(1_000, model -> true);
    assertThat(room.enter(engine(1), "a", Long.MAX_VALUE)).isNull();
    assertThat(room.isFull()).isTrue();
    room.leave(engine(1), "a", Long.MAX_VALUE);
    assertThat(room.isFull()).isFalse();
    assertThatThrownBy(() -> room.leave(engine(1), "a", 1))
        .isInstanceOf(IllegalStateException.class);
  }

  @Test
  void oneSenderHas512PlacesForEachModel() {
    WaitingRoom room = new WaitingRoom(1L << 30, model -> true);
    for (int i = 0; i < 512; i++) {
      assertThat(room.enter(engine(1), "a", 10)).isNull();
    }
    assertThat(room.enter(engine(1), "a", 10)).startsWith("expected at most 512 requests");
    assertThat(room.enter(engine(1), "b", 10)).isNull();
    assertThat(room.enter(engine(2), "a", 10)).isNull();
    room.leave(engine(1), "a", 10);
    assertThat(room.enter(engine(1), "a", 10)).isNull();
  }

  /** Who keeps to the protocol is never refused: when it is full, nothing more is read. */
  @Test
  void isFullByBytesAndByRequests() {
    WaitingRoom bytes = new WaitingRoom(64L * MIB, model -> true);
    for (int node = 0; node < 8; node++) {
      for (int i = 0; i < 128; i++) {
        assertThat(bytes.isFull()).isFalse();
        assertThat(bytes.enter(engine(node), "a", 64 << 10)).isNull();
      }
    }
    assertThat(bytes.isFull()).isTrue();
    bytes.leave(engine(3), "a", 64 << 10);
    assertThat(bytes.isFull()).isFalse();

    WaitingRoom requests = new WaitingRoom(64L * MIB, model -> true);
    for (int i = 0; i < 4_096; i++) {
      assertThat(requests.isFull()).isFalse();
      assertThat(requests.enter(engine(i % 8), "a", 100)).isNull();
    }
    assertThat(requests.isFull()).isTrue();
  }

  /** They may wait until somebody reads them, and leave room for others. */
  @Test
  void modelsThatNobodyReadsHaveHalfOfTheRoomTogether() {
    Set<String> read = new HashSet<>(Set.of("read"));
    WaitingRoom room = new WaitingRoom(64L * MIB, read::contains);
    for (int i = 0; i < 2_048; i++) {
      assertThat(room.enter(engine(i % 8), "idle-" + i % 2, 100)).isNull();
    }
    assertThat(room.enter(engine(9), "idle-2", 100))
        .isEqualTo(
            "expected a model whose requests are read, got idle-2: nobody reads them at this"
                + " prefill node at the moment, and 2048 requests of 204800 bytes for such models"
                + " fill half of the room already");
    assertThat(room.enter(engine(9), "read", 100)).isNull();
    read.add("idle-2");
    assertThat(room.enter(engine(9), "idle-2", 100)).isNull();
    room.leave(engine(3), "idle-1", 100);
    assertThat(room.enter(engine(3), "idle-1", 100)).isNull();
    read.remove("read"); // what is in the room already stays there
    assertThat(room.enter(engine(9), "read", 100)).startsWith("expected a model whose requests");
    assertThat(room.isFull()).isFalse();
  }

  @Test
  void theirBytesAreBoundedAsWellButOneMayAlwaysWait() {
    WaitingRoom room = new WaitingRoom(1_000, model -> false);
    assertThat(room.enter(engine(1), "idle", 400)).isNull();
    assertThat(room.enter(engine(1), "idle", 5_000)).isNull();
    assertThat(room.enter(engine(2), "other", 1)).contains("2 requests of 5400 bytes");
    assertThat(new WaitingRoom(1, model -> false).enter(engine(1), "idle", 10)).isNull();
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
              .doOnNext(
                  end -> assertThat(end.text()).startsWith("expected at most 512 requests and"))
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
        TraceContext.NONE,
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
