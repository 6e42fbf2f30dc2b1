package io.reactivetransfer.kvcache;

import static io.reactivetransfer.kvcache.TestNode.PATIENCE;
import static io.reactivetransfer.kvcache.TestNode.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.ImmLease;
import io.reactivetransfer.Message;
import io.reactivetransfer.MessageChannel;
import io.reactivetransfer.PageList;
import io.reactivetransfer.TraceContext;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedTransferQueue;
import java.util.concurrent.TimeUnit;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;

/** A cancel that is there before its request: whoever hears its answer reuses the pages. */
class CancelThatOvertakesTest {

  private static final KvLayout LAYOUT = KvLayout.opaque(2, 8, 64);

  private TestNode decodeNode;
  private TestNode prefillNode;
  private KvPrefill prefill;
  private ImmLease lease;
  private final BlockingQueue<KvMessage> answers = new LinkedTransferQueue<>();
  private final BlockingQueue<KvRequest> requests = new LinkedTransferQueue<>();

  @BeforeEach
  void open() {
    decodeNode = new TestNode("loopback", LAYOUT);
    prefillNode = new TestNode("loopback", LAYOUT);
    lease = decodeNode.engine.lease();
    decodeNode.engine.messages(KvInbox.ANSWERS).subscribe(this::answer);
    prefill = prefillNode.prefill();
    prefill.requests().subscribe(requests::add);
  }

  @AfterEach
  void close() {
    prefillNode.close();
    decodeNode.close();
  }

  private void answer(Message message) {
    answers.add(KvCodec.decode(message.bytes()));
  }

  private void say(MessageChannel channel, KvMessage message) {
    say(channel, KvCodec.encode(message));
  }

  private void say(MessageChannel channel, ByteBuffer message) {
    decodeNode.engine.send(prefillNode.seenFrom(decodeNode), channel, message).block(PATIENCE);
  }

  private KvMessage.Request request(long id, long arrivals) {
    return new KvMessage.Request(
        id,
        "decode",
        TestNode.MODEL,
        new KvMessage.Target(
            LAYOUT,
            List.of(decodeNode.memory.regions().getFirst().descriptor()),
            PageList.of(3),
            null),
        new KvMessage.Imms(lease.imm(), 1),
        arrivals,
        KvMapping.between(LAYOUT, LAYOUT).checksum(),
        new KvSpan(0, 1),
        PATIENCE,
        TraceContext.NONE,
        ByteBuffer.allocate(0));
  }

  private KvMessage.End end() throws InterruptedException {
    KvMessage message = answers.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    assertThat(message).isInstanceOf(KvMessage.End.class);
    return (KvMessage.End) message;
  }

  private KvRequest taken() throws InterruptedException {
    KvRequest request = requests.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    assertThat(request).isNotNull();
    return request;
  }

  @Test
  void dropsItsRequestWhenThatComes() throws InterruptedException {
    say(KvInbox.URGENT, new KvMessage.Cancel(5));
    assertThat(end())
        .isEqualTo(new KvMessage.End(5, KvMessage.Outcome.CANCELLED, true, 0, "cancelled"));
    say(KvInbox.REQUESTS, request(4, 2));
    say(KvInbox.REQUESTS, request(5, 2));
    say(KvInbox.REQUESTS, request(6, 2));
    assertThat(taken().id()).isEqualTo(4);
    assertThat(taken().id()).isEqualTo(6);
    // Asked again, it says the same.
    say(KvInbox.URGENT, new KvMessage.Cancel(5));
    assertThat(end())
        .isEqualTo(new KvMessage.End(5, KvMessage.Outcome.CANCELLED, true, 0, "cancelled"));
  }

  /** Whoever heard the answer has its pages filled by another: that holds for the engine. */
  @Test
  void dropsItsRequestAlsoWhereThatIsReadByOneThatWasOpenedAgain() throws InterruptedException {
    say(KvInbox.URGENT, new KvMessage.Cancel(5));
    KvMessage.End cancelled = end();
    assertThat(cancelled.quiet()).isTrue();
    prefillNode.cache().dispose();
    prefillNode.cache().closed().block(PATIENCE);

    openAgain();
    say(KvInbox.REQUESTS, request(4, 2));
    say(KvInbox.REQUESTS, request(5, 2));
    say(KvInbox.REQUESTS, request(6, 2));
    assertThat(taken().id()).isEqualTo(4);
    assertThat(taken().id()).isEqualTo(6);
    say(KvInbox.URGENT, new KvMessage.Cancel(5));
    assertThat(end()).isEqualTo(cancelled);
  }

  /** It knows nothing of what the next one serves, and may not say that this is not written. */
  @Test
  void isNotAnsweredAnyMoreByOneThatIsClosed() throws InterruptedException {
    KvInbox.Handler late = prefillNode.cache().desk.urgent();
    prefillNode.cache().dispose();
    prefillNode.cache().closed().block(PATIENCE);
    openAgain();
    say(KvInbox.REQUESTS, request(1, 2));
    KvRequest served = taken();

    late.received(decodeNode.seenFrom(prefillNode), new KvMessage.Cancel(1), 14);
    prefill.refuse(served, "no").block(PATIENCE);
    assertThat(end().outcome()).isEqualTo(KvMessage.Outcome.REFUSED);
  }

  private void openAgain() {
    prefillNode.open(KvCacheOptions.defaults());
    prefill = prefillNode.prefill();
    prefill.requests().subscribe(requests::add);
  }

  @Test
  void findsWhatHasEnded() throws InterruptedException {
    say(KvInbox.REQUESTS, request(1, 2));
    KvRequest first = taken();
    prefill
        .handOver(
            first, PageList.of(0), Flux.range(0, 2).map(layer -> FinishedLayer.whole(layer, first)))
        .blockLast(PATIENCE);
    await(first.ended().thenReturn(1));
    say(KvInbox.URGENT, new KvMessage.Cancel(1));
    assertThat(end().outcome()).isEqualTo(KvMessage.Outcome.NOT_RUNNING);

    say(KvInbox.REQUESTS, request(2, 2));
    prefill.refuse(taken(), "no").block(PATIENCE);
    KvMessage.End refused = end();
    assertThat(refused.outcome()).isEqualTo(KvMessage.Outcome.REFUSED);
    // It may not have been heard: what was said last is said again.
    say(KvInbox.URGENT, new KvMessage.Cancel(2));
    assertThat(end()).isEqualTo(refused);
  }

  @Test
  void aRequestThatComesAgainIsServedOnce() throws InterruptedException {
    say(KvInbox.REQUESTS, request(1, 2));
    say(KvInbox.REQUESTS, request(1, 2));
    say(KvInbox.REQUESTS, request(2, 2));
    assertThat(taken().id()).isEqualTo(1);
    assertThat(taken().id()).isEqualTo(2);
  }

  @Test
  void aRequestThatCountsOtherwiseIsRefused() throws InterruptedException {
    say(KvInbox.REQUESTS, request(1, 3));
    KvMessage.End refused = end();
    assertThat(refused.outcome()).isEqualTo(KvMessage.Outcome.REFUSED);
    assertThat(refused.text()).contains("expected a request for 2 arrivals").contains("got 3");
    assertThat(prefill.layoutsKept()).isZero();
  }

  @Test
  void anotherVersionIsToldWhichOneIsSpoken() throws InterruptedException {
    byte[] bytes = KvCodec.encode(request(1, 2)).array().clone();
    int length = KvCodec.encode(request(1, 2)).remaining();
    byte[] other = Arrays.copyOf(bytes, length);
    other[0] = 5;
    CRC32C checksum = new CRC32C();
    checksum.update(other, 0, length - 4);
    ByteBuffer.wrap(other).putInt(length - 4, (int) checksum.getValue());
    say(KvInbox.REQUESTS, ByteBuffer.wrap(other));
    KvMessage.End refused = end();
    assertThat(refused.id()).isEqualTo(1);
    assertThat(refused.text()).contains("expected version 4, got version 5");
  }
}
