package io.reactivetransfer.kvcache;

import static io.reactivetransfer.kvcache.TestNode.KEPT;
import static io.reactivetransfer.kvcache.TestNode.MODEL;
import static io.reactivetransfer.kvcache.TestNode.PATIENCE;
import static io.reactivetransfer.kvcache.TestNode.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.reactivetransfer.EngineOptions;
import io.reactivetransfer.Message;
import io.reactivetransfer.PageList;
import io.reactivetransfer.engine.TransferEngineBuilder;
import io.reactivetransfer.loopback.LoopbackBackend;
import io.reactivetransfer.loopback.LoopbackNetwork;
import io.reactivetransfer.spi.Backend;
import io.reactivetransfer.spi.Domain;
import io.reactivetransfer.spi.Operation;
import io.reactivetransfer.spi.PostResult;
import io.reactivetransfer.tck.ForwardingBackend;
import io.reactivetransfer.tck.ForwardingDomain;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedTransferQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Sinks;
import reactor.test.scheduler.VirtualTimeScheduler;

/** The deadline of an order is one point in time for both sides and all layers. */
class TimeLimitsTest {

  private static final KvLayout LAYOUT = KvLayout.opaque(2, 8, 64);
  private static final Duration DEADLINE = Duration.ofSeconds(60);

  private final VirtualTimeScheduler time = VirtualTimeScheduler.create();
  private final AtomicBoolean full = new AtomicBoolean();
  private final Backend network =
      new ForwardingBackend(
          LoopbackBackend.builder().network(new LoopbackNetwork()).build(),
          (domain, context) -> new Filling(domain));
  private TestNode decodeNode;
  private TestNode prefillNode;

  /** A NIC that has no room for writes while it is said so. */
  private final class Filling extends ForwardingDomain {

    Filling(Domain inner) {
      super(inner);
    }

    @Override
    public PostResult post(Operation operation) {
      return full.get() ? PostResult.NIC_BUSY : inner.post(operation);
    }
  }

  @BeforeEach
  void open() {
    EngineOptions twoWait = EngineOptions.builder().maxWaitingMessages(2).build();
    EngineOptions oneCredit = EngineOptions.builder().messageCredits(1).build();
    decodeNode =
        new TestNode(TransferEngineBuilder.create().backend(network).options(twoWait), LAYOUT);
    prefillNode =
        new TestNode(TransferEngineBuilder.create().backend(network).options(oneCredit), LAYOUT);
  }

  @AfterEach
  void close() {
    full.set(false);
    prefillNode.close();
    decodeNode.close();
  }

  private KvCacheOptions timed(Duration maxDeadline) {
    return KvCacheOptions.builder().timers(time).maxDeadline(maxDeadline).build();
  }

  private KvDecode decode() {
    return KvCache.open(decodeNode.engine, "decode", time).decode(MODEL, decodeNode.memory);
  }

  private KvPrefill prefill(Duration maxDeadline) {
    return KvCache.open(prefillNode.engine, "prefill", timed(maxDeadline))
        .prefill(MODEL, prefillNode.memory);
  }

  private KvOrder order() {
    return KvOrder.into(prefillNode.seenFrom(decodeNode), PageList.range(0, 8), () -> {})
        .deadline(DEADLINE)
        .build();
  }

  /** Its layout is told late, and by then some of the time is over. */
  @Test
  void aRequestSaysHowMuchIsLeftWhenItIsSent() throws InterruptedException {
    BlockingQueue<KvMessage> messages = new LinkedTransferQueue<>();
    prefillNode
        .engine
        .messages(KvInbox.URGENT)
        .mergeWith(prefillNode.engine.messages(KvInbox.REQUESTS))
        .map(Message::bytes)
        .map(KvCodec::decode)
        .subscribe(messages::add);
    decode().receive(order(), KEPT).subscribe(come -> {}, failed -> {});
    KvMessage question = messages.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    assertThat(question).isInstanceOf(KvMessage.Describe.class);
    time.advanceTimeBy(Duration.ofMillis(1_999)); // it is not asked again yet
    prefillNode
        .engine
        .send(
            decodeNode.seenFrom(prefillNode),
            KvInbox.ANSWERS,
            KvCodec.encode(new KvMessage.Description(question.id(), "a fake", MODEL, LAYOUT)))
        .block(PATIENCE);
    KvMessage request = messages.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    assertThat(((KvMessage.Request) request).deadline())
        .isEqualTo(DEADLINE.minus(Duration.ofMillis(1_999)));
  }

  /** It had to wait until others had left, for want of credit. */
  @Test
  void aRequestThatHadToWaitSaysHowMuchIsLeft() throws InterruptedException {
    FakePrefill prefill = new FakePrefill(prefillNode, decodeNode);
    KvDecode decode = decode();
    decode.receive(order(), KEPT).subscribe(come -> {}, failed -> {});
    prefill.requests.request(1);
    prefill.nextRequest();
    for (int i = 0; i < 3; i++) {
      decode.receive(order(), KEPT).subscribe(come -> {}, failed -> {});
    }
    await().atMost(PATIENCE).until(() -> decodeNode.engine.stats().openLeases() == 5);
    time.advanceTimeBy(Duration.ofSeconds(7));
    prefill.requests.request(3);
    prefill.nextRequest();
    prefill.nextRequest();
    assertThat(prefill.nextRequest().deadline()).isEqualTo(DEADLINE.minusSeconds(7));
  }

  /** The engine gives each write the whole time, from when it takes it. */
  @Test
  void aLayerThatComesLateHasNoMoreTimeThanTheOrder() throws InterruptedException {
    KvPrefill prefill = prefill(Duration.ofMinutes(10));
    decode().receive(order(), KEPT).subscribe(come -> {}, failed -> {});
    KvRequest request = await(prefill.requests().next());
    assertThat(request.remaining()).isEqualTo(DEADLINE);
    Sinks.Many<FinishedLayer> layers = Sinks.many().unicast().onBackpressureBuffer();
    CompletableFuture<?> writes =
        prefill.handOver(request, PageList.range(0, 8), layers.asFlux()).then().toFuture();
    full.set(true);
    time.advanceTimeBy(DEADLINE.minusMillis(1));
    layers.tryEmitNext(FinishedLayer.whole(0, request));
    layers.tryEmitNext(FinishedLayer.whole(1, request));
    layers.tryEmitComplete();
    await().atMost(PATIENCE).until(() -> prefillNode.engine.stats().transfersInFlight() == 2);
    assertThat(writes).isNotDone();

    time.advanceTimeBy(Duration.ofMillis(1));

    HandOverException late = HandOverFixture.failureOf(writes);
    assertThat(late.reason()).isEqualTo(HandOverException.Reason.DEADLINE);
    assertThat(prefillNode.engine.stats().transfersInFlight()).isZero();
  }

  /** As in a process that stood still: all its timers are due, and one of them takes requests. */
  @Test
  void aRequestWhoseTimeIsOverIsNotGivenBeforeItsTimerHasSaidSo() {
    List<KvRequest> given = new ArrayList<>();
    KvPrefill prefill = prefill(Duration.ofSeconds(5));
    time.schedule(() -> prefill.requests().subscribe(given::add), 5, TimeUnit.SECONDS);
    CompletableFuture<?> arrival = decode().receive(order(), KEPT).toFuture();
    await().atMost(PATIENCE).until(() -> prefill.waiting() == 1);
    time.advanceTimeBy(Duration.ofSeconds(5));
    assertThat(HandOverFixture.failureOf(arrival).reason())
        .isEqualTo(HandOverException.Reason.DEADLINE);
    assertThat(given).isEmpty();
  }

  @Test
  void prefillGivesNoMoreTimeThanItsOption() {
    KvPrefill prefill = prefill(Duration.ofSeconds(5));
    CompletableFuture<?> arrival = decode().receive(order(), KEPT).toFuture();
    KvRequest request = await(prefill.requests().next());
    assertThat(request.remaining()).isEqualTo(Duration.ofSeconds(5));
    time.advanceTimeBy(Duration.ofSeconds(5));
    request.ended().block(PATIENCE);
    HandOverException late = HandOverFixture.failureOf(arrival);
    assertThat(late.reason()).isEqualTo(HandOverException.Reason.DEADLINE);
    assertThat(late)
        .hasMessageContaining(
            "its time of PT5S (the longest that this prefill node gives, of PT1M) was over");
  }

  @Test
  void whatPrefillHandsOverEndsAtItsOption() {
    KvPrefill prefill = prefill(Duration.ofSeconds(5));
    CompletableFuture<?> arrival = decode().receive(order(), KEPT).toFuture();
    KvRequest request = await(prefill.requests().next());
    CompletableFuture<?> writes =
        prefill.handOver(request, PageList.range(0, 8), Flux.never()).then().toFuture();
    time.advanceTimeBy(Duration.ofSeconds(5));
    assertThat(HandOverFixture.failureOf(writes).reason())
        .isEqualTo(HandOverException.Reason.DEADLINE);
    HandOverException late = HandOverFixture.failureOf(arrival);
    assertThat(late.reason()).isEqualTo(HandOverException.Reason.DEADLINE);
    assertThat(late)
        .hasMessageContaining("PT5S (the longest that this prefill node gives, of PT1M)");
  }

  @Test
  void whatIsBrokenOffAtPrefillsOptionIsNoFailureOfAWrite() {
    KvPrefill prefill = prefill(Duration.ofSeconds(5));
    CompletableFuture<?> arrival = decode().receive(order(), KEPT).toFuture();
    KvRequest request = await(prefill.requests().next());
    full.set(true);
    CompletableFuture<?> writes =
        prefill
            .handOver(
                request,
                PageList.range(0, 8),
                Flux.just(FinishedLayer.whole(0, request), FinishedLayer.whole(1, request)))
            .then()
            .toFuture();
    await().atMost(PATIENCE).until(() -> prefillNode.engine.stats().transfersInFlight() == 2);
    time.advanceTimeBy(Duration.ofSeconds(5));
    assertThat(HandOverFixture.failureOf(writes).reason())
        .isEqualTo(HandOverException.Reason.DEADLINE);
    HandOverException late = HandOverFixture.failureOf(arrival);
    assertThat(late.reason()).as(late.toString()).isEqualTo(HandOverException.Reason.DEADLINE);
  }
}
