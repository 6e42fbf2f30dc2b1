package io.reactivetransfer.kvcache;

import static io.reactivetransfer.kvcache.TestNode.KEPT;
import static io.reactivetransfer.kvcache.TestNode.PATIENCE;
import static io.reactivetransfer.kvcache.TestNode.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.reactivetransfer.Message;
import io.reactivetransfer.RegionDescriptor;
import io.reactivetransfer.RemoteRegion;
import io.reactivetransfer.WriteImm;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedTransferQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import reactor.core.Disposable;

/** When pages come back, with a prefill side that says what the test wants it to say. */
class HeldPagesTest {

  private static final OldLayout LAYOUT = new OldLayout(2, 8, 64);

  private TestNode decodeNode;
  private TestNode prefillNode;
  private PagePool pool;
  private KvDecode decode;
  private final BlockingQueue<Message> messages = new LinkedTransferQueue<>();

  @BeforeEach
  void open() {
    decodeNode = new TestNode("loopback", LAYOUT);
    prefillNode = new TestNode("loopback", LAYOUT);
    pool = PagePool.of(8);
    decode = decodeNode.decode(pool);
    prefillNode.engine.messages(KvInbox.TO_PREFILL).subscribe(messages::add);
  }

  @AfterEach
  void close() {
    prefillNode.close();
    decodeNode.close();
  }

  private Disposable receive() {
    KvOrder order =
        KvOrder.of(
            prefillNode.seenFrom(decodeNode), 4, decodeNode.tailRegion.slice(0, 16), PATIENCE);
    return decode.receive(order, KEPT).subscribe(arrival -> {}, failure -> {});
  }

  private OldMessage next() throws InterruptedException {
    Message message = messages.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    assertThat(message).isNotNull();
    return OldCodec.decode(message.bytes());
  }

  private void say(OldMessage message) {
    prefillNode
        .engine
        .send(decodeNode.seenFrom(prefillNode), KvInbox.TO_DECODE, OldCodec.encode(message))
        .block(PATIENCE);
  }

  private void write(OldMessage.Request request, int times) {
    RemoteRegion target = prefillNode.engine.remote(request.memory());
    for (int i = 0; i < times; i++) {
      await(
          prefillNode.engine.submit(
              WriteImm.of(prefillNode.memory.page(0, i), target.slice(0, 64), request.imm())));
    }
  }

  @Test
  void areHeldUntilWhatPrefillHadPostedHasLanded() throws InterruptedException {
    Disposable subscription = receive();
    OldMessage.Request request = (OldMessage.Request) next();
    write(request, 2);
    subscription.dispose();
    assertThat(next()).isEqualTo(new OldMessage.Cancel(request.id()));
    assertThat(decode.held()).isEqualTo(1);
    assertThat(pool.free()).isEqualTo(4);

    say(new OldMessage.End(request.id(), OldMessage.Outcome.CANCELLED, false, 3, ""));
    // Its answer has come when a later message has made the round.
    roundTrip();
    assertThat(decode.held()).isEqualTo(1);

    write(request, 1);
    decode.settled().block(PATIENCE);
    assertThat(pool.free()).isEqualTo(8);
  }

  @Test
  void comeBackAtOnceWhenPrefillSaysThatNothingIsOnItsWay() throws InterruptedException {
    Disposable subscription = receive();
    OldMessage.Request request = (OldMessage.Request) next();
    write(request, 2);
    subscription.dispose();
    say(new OldMessage.End(request.id(), OldMessage.Outcome.CANCELLED, true, 2, ""));
    decode.settled().block(PATIENCE);
    assertThat(pool.free()).isEqualTo(8);
    await().atMost(PATIENCE).until(() -> decodeNode.engine.stats().unclaimedImms() == 0);
  }

  @Test
  void areHeldForAllArrivalsWhenEverythingHadGoneOut() throws InterruptedException {
    Disposable subscription = receive();
    OldMessage.Request request = (OldMessage.Request) next();
    subscription.dispose();
    say(new OldMessage.End(request.id(), OldMessage.Outcome.NOT_RUNNING, false, -1, ""));
    write(request, 8);
    roundTrip();
    assertThat(decode.held()).isEqualTo(1);
    write(request, 1);
    decode.settled().block(PATIENCE);
    assertThat(pool.free()).isEqualTo(8);
  }

  @Test
  void comeBackWhenPrefillIsGone() throws InterruptedException {
    Disposable subscription = receive();
    next();
    subscription.dispose();
    next();
    assertThat(decode.held()).isEqualTo(1);
    prefillNode.engine.close().block(PATIENCE);
    decode.settled().block(PATIENCE);
    assertThat(pool.free()).isEqualTo(8);
  }

  @Test
  void stayHeldWhenPrefillCannotSayAndAreReclaimedByForce() throws InterruptedException {
    Disposable subscription = receive();
    OldMessage.Request request = (OldMessage.Request) next();
    subscription.dispose();
    say(new OldMessage.End(request.id(), OldMessage.Outcome.FAILED, false, -1, "nic"));
    roundTrip();
    assertThat(decode.held()).isEqualTo(1);

    decode.reclaim().block(PATIENCE);

    assertThat(decode.held()).isZero();
    assertThat(pool.free()).isEqualTo(8);
    RegionDescriptor now = decodeNode.memory.region().descriptor();
    assertThat(now).isNotEqualTo(request.memory());
    assertThatThrownBy(() -> write(request, 1)).isInstanceOf(RuntimeException.class);
  }

  private long leases() {
    return decodeNode.engine.stats().openLeases();
  }

  /** So that others can be opened for ever; but not while it is waited under. */
  @Test
  void theObjectsOwnImmediateGoesBackWithTheLastPages() throws InterruptedException {
    decode.dispose();
    for (int i = 0; i < 10; i++) {
      KvDecode.open(decodeNode.engine, decodeNode.memory, pool).dispose();
    }
    await().atMost(PATIENCE).until(() -> leases() == 0);

    decode = KvDecode.open(decodeNode.engine, decodeNode.memory, pool);
    Disposable subscription = receive();
    next();
    decode.dispose();
    subscription.dispose();
    assertThat(leases()).isEqualTo(2);
    decode.reclaim().block(PATIENCE);
    await().atMost(PATIENCE).until(() -> leases() == 0);
    receive();
    await().atMost(PATIENCE).until(() -> leases() == 0); // by one that was disposed of
    assertThat(pool.free()).isEqualTo(8);
  }

  @Test
  void anAnswerOfAnotherEngineIsIgnored() throws InterruptedException {
    Disposable subscription = receive();
    OldMessage.Request request = (OldMessage.Request) next();
    subscription.dispose();
    try (TestNode stranger = new TestNode("loopback", LAYOUT)) {
      OldMessage lie = new OldMessage.End(request.id(), OldMessage.Outcome.CANCELLED, true, 0, "");
      stranger
          .engine
          .send(decodeNode.seenFrom(stranger), KvInbox.TO_DECODE, OldCodec.encode(lie))
          .block(PATIENCE);
      roundTrip();
      assertThat(decode.held()).isEqualTo(1);
    }
    say(new OldMessage.End(request.id(), OldMessage.Outcome.CANCELLED, true, 0, ""));
    decode.settled().block(PATIENCE);
  }

  /** A second hand-over that is refused: when that is known, earlier messages have been read. */
  private void roundTrip() throws InterruptedException {
    int free = pool.free();
    KvOrder order =
        KvOrder.of(
            prefillNode.seenFrom(decodeNode),
            1,
            decodeNode.tailRegion.slice(16, 16),
            Duration.ofSeconds(20));
    var refused = decode.receive(order, KEPT).toFuture();
    OldMessage message = next();
    while (!(message instanceof OldMessage.Request)) {
      message = next();
    }
    say(new OldMessage.End(message.id(), OldMessage.Outcome.REFUSED, true, 0, ""));
    await().atMost(PATIENCE).until(refused::isCompletedExceptionally);
    await().atMost(PATIENCE).until(() -> pool.free() == free);
  }
}
