package io.reactivetransfer.kvcache;

import static io.reactivetransfer.kvcache.TestNode.KEPT;
import static io.reactivetransfer.kvcache.TestNode.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;
import reactor.test.scheduler.VirtualTimeScheduler;

/** When pages come back, with a prefill side that says what the test wants it to say. */
class HeldPagesTest {

  private static final KvLayout LAYOUT = KvLayout.opaque(2, 8, 64);

  /** Decode's, which stands still unless a test says how late it is. */
  private final VirtualTimeScheduler time = VirtualTimeScheduler.create();

  private TestNode decodeNode;
  private TestNode prefillNode;
  private FakePrefill prefill;
  private PagePool pool;
  private KvDecode decode;

  @BeforeEach
  void open() {
    decodeNode = new TestNode("loopback", LAYOUT);
    prefillNode = new TestNode("loopback", LAYOUT);
    pool = PagePool.of(8);
    decode =
        decodeNode
            .open(KvCacheOptions.builder().timers(time).build())
            .decode(TestNode.MODEL, decodeNode.memory);
    prefill = new FakePrefill(prefillNode, decodeNode).takingAll();
  }

  @AfterEach
  void close() {
    prefillNode.close();
    decodeNode.close();
  }

  private KvOrder order(int pages) {
    return KvOrder.into(prefillNode.seenFrom(decodeNode), pool.reserve(pages))
        .tail(decodeNode.tailRegion.slice(0, 16))
        .deadline(PATIENCE)
        .build();
  }

  private Disposable receive() {
    return decode.receive(order(4), KEPT).subscribe(arrival -> {}, failure -> {});
  }

  private static KvMessage.End end(
      KvMessage message, KvMessage.Outcome outcome, boolean quiet, long arrivals) {
    return new KvMessage.End(message.id(), outcome, quiet, arrivals, "");
  }

  private void awaitBack() {
    decode.settled().block(PATIENCE);
    await().atMost(PATIENCE).until(() -> pool.free() == 8);
  }

  @Test
  void areHeldUntilWhatPrefillHadPostedHasLanded() throws InterruptedException {
    Disposable subscription = receive();
    KvMessage.Request request = prefill.nextRequest();
    prefill.write(request, 2);
    subscription.dispose();
    assertThat(prefill.next()).isEqualTo(new KvMessage.Cancel(request.id()));
    assertThat(decode.held()).isEqualTo(1);
    assertThat(pool.free()).isEqualTo(4);

    prefill.say(end(request, KvMessage.Outcome.CANCELLED, false, 3));
    // Its answer has come when a later message has made the round.
    roundTrip();
    assertThat(decode.held()).isEqualTo(1);

    prefill.write(request, 1);
    awaitBack();
  }

  @Test
  void areHeldUntilItHasLandedUnderWhicheverImmediate() throws InterruptedException {
    KvOrder order =
        KvOrder.into(prefillNode.seenFrom(decodeNode), pool.reserve(4))
            .onLayer(layer -> {})
            .deadline(PATIENCE)
            .build();
    Disposable subscription = decode.receive(order, KEPT).subscribe(come -> {}, failed -> {});
    KvMessage.Request request = prefill.nextRequest();
    assertThat(request.imms().count()).isEqualTo(3);
    prefill.write(request, 2);
    subscription.dispose();
    prefill.say(end(request, KvMessage.Outcome.CANCELLED, false, 3));
    roundTrip();
    assertThat(decode.held()).isEqualTo(1);
    prefill.write(request, 1);
    awaitBack();
  }

  @Test
  void comeBackAtOnceWhenPrefillSaysThatNothingIsOnItsWay() throws InterruptedException {
    Disposable subscription = receive();
    KvMessage.Request request = prefill.nextRequest();
    prefill.write(request, 2);
    subscription.dispose();
    prefill.say(end(request, KvMessage.Outcome.CANCELLED, true, 2));
    awaitBack();
    await().atMost(PATIENCE).until(() -> decodeNode.engine.stats().unclaimedImms() == 0);
  }

  @Test
  void areHeldForAllArrivalsWhenEverythingHadGoneOut() throws InterruptedException {
    Disposable subscription = receive();
    KvMessage.Request request = prefill.nextRequest();
    roundTrip(); // until then this side may not know that its request has gone out
    subscription.dispose();
    prefill.say(end(request, KvMessage.Outcome.NOT_RUNNING, false, -1));
    prefill.write(request, 8);
    roundTrip();
    assertThat(decode.held()).isEqualTo(1);
    prefill.write(request, 1);
    awaitBack();
  }

  @Test
  void comeBackWhenPrefillIsGone() throws InterruptedException {
    Disposable subscription = receive();
    prefill.next();
    subscription.dispose();
    prefill.next();
    assertThat(decode.held()).isEqualTo(1);
    prefillNode.engine.close().block(PATIENCE);
    awaitBack();
  }

  /** Not when the close has begun: a NIC may still take something in. */
  @Test
  void comeBackWhenTheEngineHasClosed() throws InterruptedException {
    Disposable subscription = receive();
    prefill.next();
    subscription.dispose();
    prefill.next();
    assertThat(decode.held()).isEqualTo(1);
    decodeNode.engine.close().block(PATIENCE);
    awaitBack();
  }

  @ParameterizedTest
  @EnumSource(
      value = KvMessage.Outcome.class,
      names = {"FAILED", "DEADLINE"})
  void comeBackByThemselvesWhenPrefillCannotSayWhatMayLand(KvMessage.Outcome outcome)
      throws InterruptedException {
    Disposable subscription = receive();
    KvMessage.Request request = prefill.nextRequest();
    subscription.dispose();
    prefill.say(end(request, outcome, false, -1));
    awaitBack();
    requireShutOut(request);
  }

  @Test
  void comeBackByThemselvesWhenWhatWentOutDoesNotLand() throws InterruptedException {
    Disposable subscription = receive();
    KvMessage.Request request = prefill.nextRequest();
    subscription.dispose();
    prefill.say(end(request, KvMessage.Outcome.CANCELLED, false, 3));
    await()
        .atMost(PATIENCE)
        .until(() -> {
          time.advanceTimeBy(Duration.ofSeconds(2));
          return pool.free() == 8;
        });
    awaitBack();
    requireShutOut(request);
  }

  @Test
  void stayHeldWhenPrefillDoesNotAnswerAndAreReclaimedByForce() throws InterruptedException {
    Disposable subscription = receive();
    KvMessage.Request request = prefill.nextRequest();
    subscription.dispose();
    roundTrip();
    assertThat(decode.held()).isEqualTo(1);

    decode.reclaim().block(PATIENCE);

    assertThat(decode.held()).isZero();
    assertThat(pool.free()).isEqualTo(8);
    requireShutOut(request);
  }

  /** What is shut out by then can be written to by nobody, and so it must not stay held. */
  @Test
  void comeBackThoughNobodyWaitsForTheReclaim() throws InterruptedException {
    Disposable subscription = receive();
    KvMessage.Request request = prefill.nextRequest();
    subscription.dispose();
    roundTrip();
    assertThat(decode.held()).isEqualTo(1);
    decode.reclaim().subscribe().dispose();
    awaitBack();
    requireShutOut(request);
  }

  /** The end is told before it is known what may come yet; who hears it may be in a hurry. */
  @Test
  void areReclaimedByWhoIsToldOfTheEnd() throws InterruptedException {
    decodeNode.cache().dispose();
    decodeNode.cache().closed().block(PATIENCE);
    CompletableFuture<Void> reclaimed = new CompletableFuture<>();
    KvRecorder.OrderRecorder reclaims =
        new KvRecorder.OrderRecorder() {
          @Override
          public void ended(KvRecorder.OrderEnd end) {
            decode.reclaim().toFuture().thenAccept(reclaimed::complete);
          }
        };
    KvRecorder recorder =
        new KvRecorder() {
          @Override
          public OrderRecorder orderBegun(OrderBegin begin) {
            return reclaims;
          }
        };
    decode =
        decodeNode
            .open(KvCacheOptions.builder().timers(time).recorder(recorder).build())
            .decode(TestNode.MODEL, decodeNode.memory);
    Disposable subscription = receive();
    KvMessage.Request request = prefill.nextRequest();
    subscription.dispose();
    Mono.fromFuture(reclaimed).block(PATIENCE);
    assertThat(pool.free()).isEqualTo(8);
    requireShutOut(request);
  }

  /**
   * Not even where lost peers are fenced: one that stood still may read its request after that, and
   * come again over a new connection. Here somebody else has what it was told.
   */
  @Test
  void ofALostPrefillAreShutToWhateverItWasTold() throws InterruptedException {
    receive();
    KvMessage.Request request = prefill.nextRequest();
    try (TestNode other = new TestNode("loopback", decodeNode.layout)) {
      FakePrefill again = new FakePrefill(other, decodeNode);
      again.write(request, 1);
      prefillNode.engine.close().block(PATIENCE);
      awaitBack();
      assertThatThrownBy(() -> again.write(request, 1)).isInstanceOf(RuntimeException.class);
    }
  }

  /** The node cannot write under what it was told; the next order tells it something else. */
  private void requireShutOut(KvMessage.Request request) throws InterruptedException {
    assertThatThrownBy(() -> prefill.write(request, 1)).isInstanceOf(RuntimeException.class);
    receive();
    assertThat(prefill.nextRequest().target().regions()).isNotEqualTo(request.target().regions());
  }

  private long leases() {
    return decodeNode.engine.stats().openLeases();
  }

  /** So that others can be opened for ever; but not while it is waited under. */
  @Test
  void theImmediateOfACacheGoesBackWithTheLastPages() throws InterruptedException {
    decodeNode.cache().dispose();
    decodeNode.cache().closed().block(PATIENCE);
    for (int i = 0; i < 10; i++) {
      KvCache again = KvCache.open(decodeNode.engine);
      again.dispose();
      again.closed().block(PATIENCE);
    }
    await().atMost(PATIENCE).until(() -> leases() == 0);

    KvCache cache = KvCache.open(decodeNode.engine);
    decode = cache.decode(TestNode.MODEL, decodeNode.memory);
    Disposable subscription = receive();
    prefill.next();
    cache.dispose();
    subscription.dispose();
    assertThat(leases()).isEqualTo(2);
    decode.reclaim().block(PATIENCE);
    cache.closed().block(PATIENCE);
    await().atMost(PATIENCE).until(() -> leases() == 0);
    receive();
    await().atMost(PATIENCE).until(() -> leases() == 0); // by one that was disposed of
    assertThat(pool.free()).isEqualTo(8);
  }

  @Test
  void anAnswerOfAnotherEngineIsIgnored() throws InterruptedException {
    Disposable subscription = receive();
    KvMessage.Request request = prefill.nextRequest();
    subscription.dispose();
    try (TestNode stranger = new TestNode("loopback", LAYOUT)) {
      KvMessage lie = end(request, KvMessage.Outcome.CANCELLED, true, 0);
      stranger
          .engine
          .send(decodeNode.seenFrom(stranger), KvInbox.ANSWERS, KvCodec.encode(lie))
          .block(PATIENCE);
      roundTrip();
      assertThat(decode.held()).isEqualTo(1);
    }
    prefill.say(end(request, KvMessage.Outcome.CANCELLED, true, 0));
    awaitBack();
  }

  /** A second order that is refused: when that is known, earlier messages have been read. */
  private void roundTrip() throws InterruptedException {
    int free = pool.free();
    var refused = decode.receive(order(1), KEPT).toFuture();
    KvMessage message = prefill.nextRequest();
    prefill.say(end(message, KvMessage.Outcome.REFUSED, true, 0));
    await().atMost(PATIENCE).until(refused::isCompletedExceptionally);
    await().atMost(PATIENCE).until(() -> pool.free() == free);
  }
}
