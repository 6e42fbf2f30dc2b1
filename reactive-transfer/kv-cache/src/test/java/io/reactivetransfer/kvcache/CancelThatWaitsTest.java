package io.reactivetransfer.kvcache;

import static io.reactivetransfer.kvcache.TestNode.KEPT;
import static io.reactivetransfer.kvcache.TestNode.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.EngineOptions;
import io.reactivetransfer.Imm;
import io.reactivetransfer.Message;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedTransferQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.reactivestreams.Subscription;
import reactor.core.Disposable;
import reactor.core.publisher.BaseSubscriber;

/** More cancels at once than messages may wait for a prefill node: all pages come back. */
class CancelThatWaitsTest {

  private static final OldLayout LAYOUT = new OldLayout(2, 8, 64);
  private static final int ORDERS = 4;

  private final BlockingQueue<Message> messages = new LinkedTransferQueue<>();

  /** Asks for messages only when it is told to. */
  private final BaseSubscriber<Message> reader =
      new BaseSubscriber<>() {
        @Override
        protected void hookOnSubscribe(Subscription subscription) {
          // by hand
        }

        @Override
        protected void hookOnNext(Message message) {
          messages.add(message);
        }
      };

  private OldMessage next() throws InterruptedException {
    Message message = messages.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    assertThat(message).isNotNull();
    return OldCodec.decode(message.bytes());
  }

  @Test
  void whatIsRejectedNowIsSaidLater() throws InterruptedException {
    EngineOptions twoWait = EngineOptions.builder().maxWaitingMessages(2).build();
    EngineOptions oneCredit = EngineOptions.builder().messageCredits(1).build();
    try (TestNode decodeNode = new TestNode("loopback", LAYOUT, twoWait);
        TestNode prefillNode = new TestNode("loopback", LAYOUT, oneCredit)) {
      prefillNode.engine.messages(KvInbox.TO_PREFILL).subscribe(reader);
      PagePool pool = PagePool.of(8);
      KvDecode decode = decodeNode.decode(pool);
      List<Disposable> running = new ArrayList<>();
      for (int i = 0; i < ORDERS; i++) {
        KvOrder order =
            KvOrder.of(
                prefillNode.seenFrom(decodeNode),
                1,
                decodeNode.tailRegion.slice(16 * i, 16),
                PATIENCE);
        running.add(decode.receive(order, KEPT).subscribe(arrival -> {}, failure -> {}));
        reader.request(1);
        assertThat(next()).isInstanceOf(OldMessage.Request.class);
      }
      running.forEach(Disposable::dispose);
      assertThat(decode.held()).isEqualTo(ORDERS);
      decodeNode.engine.counter(Imm.of(9_999)).discard().block(PATIENCE); // all had their turn
      reader.requestUnbounded();
      Set<Long> answered = new HashSet<>();
      while (answered.size() < ORDERS) {
        OldMessage cancel = next();
        assertThat(cancel).isInstanceOf(OldMessage.Cancel.class);
        answered.add(cancel.id());
        prefillNode
            .engine
            .send(
                decodeNode.seenFrom(prefillNode),
                KvInbox.TO_DECODE,
                OldCodec.encode(
                    new OldMessage.End(cancel.id(), OldMessage.Outcome.CANCELLED, true, 0, "")))
            .block(PATIENCE);
      }
      decode.settled().block(PATIENCE);
      assertThat(pool.free()).isEqualTo(8);
    }
  }
}
