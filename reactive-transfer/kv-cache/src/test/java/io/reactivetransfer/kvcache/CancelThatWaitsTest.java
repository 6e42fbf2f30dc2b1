package io.reactivetransfer.kvcache;

import static io.reactivetransfer.kvcache.TestNode.KEPT;
import static io.reactivetransfer.kvcache.TestNode.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.reactivetransfer.EngineOptions;
import io.reactivetransfer.Imm;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import reactor.core.Disposable;

/** More cancels at once than messages may wait for a prefill node: all pages come back. */
class CancelThatWaitsTest {

  private static final KvLayout LAYOUT = KvLayout.opaque(2, 8, 64);
  private static final int ORDERS = 4;

  @Test
  void whatIsRejectedNowIsSaidLater() throws InterruptedException {
    EngineOptions twoWait = EngineOptions.builder().maxWaitingMessages(2).build();
    EngineOptions oneCredit = EngineOptions.builder().messageCredits(1).build();
    try (TestNode decodeNode = new TestNode("loopback", LAYOUT, twoWait);
        TestNode prefillNode = new TestNode("loopback", LAYOUT, oneCredit)) {
      FakePrefill prefill = new FakePrefill(prefillNode, decodeNode);
      PagePool pool = PagePool.of(8);
      KvDecode decode = decodeNode.decode();
      List<Disposable> running = new ArrayList<>();
      for (int i = 0; i < ORDERS; i++) {
        KvOrder order =
            KvOrder.into(prefillNode.seenFrom(decodeNode), pool.reserve(1))
                .tail(decodeNode.tailRegion.slice(16L * i, 16))
                .deadline(PATIENCE)
                .build();
        running.add(decode.receive(order, KEPT).subscribe(arrival -> {}, failure -> {}));
        prefill.requests.request(1);
        assertThat(prefill.next()).isInstanceOf(KvMessage.Request.class);
      }
      running.forEach(Disposable::dispose);
      assertThat(decode.held()).isEqualTo(ORDERS);
      decodeNode.engine.counter(Imm.of(9_999)).discard().block(PATIENCE); // all had their turn
      Set<Long> answered = new HashSet<>();
      while (answered.size() < ORDERS) {
        KvMessage cancel = prefill.next();
        assertThat(cancel).isInstanceOf(KvMessage.Cancel.class);
        answered.add(cancel.id());
        prefill.say(new KvMessage.End(cancel.id(), KvMessage.Outcome.CANCELLED, true, 0, ""));
      }
      decode.settled().block(PATIENCE);
      await().atMost(PATIENCE).until(() -> pool.free() == 8);
    }
  }
}
