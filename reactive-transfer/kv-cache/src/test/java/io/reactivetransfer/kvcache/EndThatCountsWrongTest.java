package io.reactivetransfer.kvcache;

import static io.reactivetransfer.kvcache.TestNode.KEPT;
import static io.reactivetransfer.kvcache.TestNode.MODEL;
import static io.reactivetransfer.kvcache.TestNode.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivetransfer.PageList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import reactor.core.Disposable;
import reactor.test.scheduler.VirtualTimeScheduler;

/** A prefill node that says of more arrivals than there can be that they will come. */
class EndThatCountsWrongTest {

  private static final KvLayout LAYOUT = KvLayout.opaque(2, 8, 64);

  private final TestNode decodeNode = new TestNode("loopback", LAYOUT);
  private final TestNode prefillNode = new TestNode("loopback", LAYOUT);
  private final FakePrefill prefill = new FakePrefill(prefillNode, decodeNode).takingAll();
  private final AtomicInteger quiet = new AtomicInteger();

  @AfterEach
  void close() {
    prefillNode.close();
    decodeNode.close();
  }

  /** Its arrivals are not waited for, which no clock would end here. */
  @Test
  void isShutOutAtOnce() throws InterruptedException {
    KvDecode decode =
        KvCache.open(decodeNode.engine, "decode", VirtualTimeScheduler.create())
            .decode(MODEL, decodeNode.memory);
    KvOrder order =
        KvOrder.into(prefillNode.seenFrom(decodeNode), PageList.of(1, 2), quiet::incrementAndGet)
            .build();
    Disposable running = decode.receive(order, KEPT).subscribe(come -> {}, failed -> {});
    KvMessage.Request request = prefill.nextRequest();
    assertThat(request.arrivals()).isEqualTo(4);
    running.dispose();
    prefill.say(new KvMessage.End(request.id(), KvMessage.Outcome.CANCELLED, false, 5, ""));
    decode.settled().block(PATIENCE);
    assertThat(quiet).hasValue(1);
    assertThatThrownBy(() -> prefill.write(request, 1)).isInstanceOf(RuntimeException.class);
  }
}
