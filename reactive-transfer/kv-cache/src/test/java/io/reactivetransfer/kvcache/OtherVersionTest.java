package io.reactivetransfer.kvcache;

import static io.reactivetransfer.kvcache.TestNode.KEPT;
import static io.reactivetransfer.kvcache.TestNode.MODEL;
import static io.reactivetransfer.kvcache.TestNode.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.Message;
import io.reactivetransfer.PageList;
import java.nio.ByteBuffer;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedTransferQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import reactor.test.scheduler.VirtualTimeScheduler;

/** A decode node whose prefill node speaks another version of the messages. */
class OtherVersionTest {

  private static final KvLayout LAYOUT = KvLayout.opaque(2, 8, 64);

  private final TestNode decodeNode = new TestNode("loopback", LAYOUT);
  private final TestNode prefillNode = new TestNode("loopback", LAYOUT);
  private final TestNode stranger = new TestNode("loopback", LAYOUT);
  private final BlockingQueue<KvMessage> messages = new LinkedTransferQueue<>();
  private final CompletableFuture<KvArrival> arrival;

  OtherVersionTest() {
    prefillNode
        .engine
        .messages(KvInbox.URGENT)
        .mergeWith(prefillNode.engine.messages(KvInbox.REQUESTS))
        .map(Message::bytes)
        .map(KvCodec::decode)
        .subscribe(messages::add);
    KvOrder order =
        KvOrder.into(prefillNode.seenFrom(decodeNode), PageList.of(1, 2), () -> {})
            .deadline(PATIENCE)
            .build();
    // Its clock stands still, so it asks once.
    KvCacheOptions standing =
        KvCacheOptions.builder().timers(VirtualTimeScheduler.create()).build();
    arrival =
        decodeNode.open(standing).decode(MODEL, decodeNode.memory).receive(order, KEPT).toFuture();
  }

  @AfterEach
  void close() {
    stranger.close();
    prefillNode.close();
    decodeNode.close();
  }

  private KvMessage next() throws InterruptedException {
    return messages.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS);
  }

  private void say(TestNode from, KvMessage message, int version) {
    byte[] bytes = KvCodecTest.bytes(message);
    bytes[0] = (byte) version;
    from.engine
        .send(
            decodeNode.seenFrom(from), KvInbox.ANSWERS, ByteBuffer.wrap(KvCodecTest.sealed(bytes)))
        .block(PATIENCE);
  }

  private void requireRefused(int version) {
    HandOverException failure = HandOverFixture.failureOf(arrival);
    assertThat(failure.reason()).isEqualTo(HandOverException.Reason.REFUSED);
    assertThat(failure.peer()).isEqualTo(prefillNode.seenFrom(decodeNode));
    assertThat(failure)
        .hasMessageContaining("it does not speak this version: ")
        .hasMessageContaining("expected version 4, got version " + version);
  }

  @Test
  void isToldSoWhenItAsks() throws InterruptedException {
    KvMessage question = next();
    assertThat(question).isInstanceOf(KvMessage.Describe.class);
    KvMessage.End end =
        new KvMessage.End(question.id(), KvMessage.Outcome.REFUSED, true, 0, "what?");
    say(stranger, end, 2); // another one's version is no business of this order
    say(prefillNode, end, 2);
    requireRefused(2);
  }

  @Test
  void isToldSoWhenItOrders() throws InterruptedException {
    KvMessage question = next();
    say(
        prefillNode,
        new KvMessage.Description(question.id(), "a fake", MODEL, LAYOUT),
        KvCodec.VERSION);
    KvMessage request = next();
    assertThat(request).isInstanceOf(KvMessage.Request.class);
    KvMessage.End end =
        new KvMessage.End(request.id(), KvMessage.Outcome.REFUSED, true, 0, "what?");
    say(stranger, end, 5);
    say(prefillNode, end, 5);
    requireRefused(5);
    // The request has gone out, and may be read by who knows it: it is cancelled.
    assertThat(next()).isEqualTo(new KvMessage.Cancel(request.id()));
  }
}
