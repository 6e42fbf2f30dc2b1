package io.reactivetransfer.kvcache;

import static io.reactivetransfer.kvcache.TestNode.KEPT;
import static io.reactivetransfer.kvcache.TestNode.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.PageList;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import reactor.core.Disposable;
import reactor.core.publisher.Hooks;

/** What prefill says after a cancel is no error of anybody: Reactor's hooks hear nothing of it. */
class LateRefusalTest {

  private static final KvLayout LAYOUT = KvLayout.opaque(2, 8, 64);

  private final TestNode decodeNode = new TestNode("loopback", LAYOUT);
  private final TestNode prefillNode = new TestNode("loopback", LAYOUT);
  private final FakePrefill prefill = new FakePrefill(prefillNode, decodeNode).takingAll();
  private final KvDecode decode = decodeNode.decode();
  private final Queue<Object> dropped = new ConcurrentLinkedQueue<>();

  @BeforeEach
  void listen() {
    Hooks.onErrorDropped(dropped::add);
    Hooks.onNextDropped(dropped::add);
  }

  @AfterEach
  void close() {
    Hooks.resetOnErrorDropped();
    Hooks.resetOnNextDropped();
    prefillNode.close();
    decodeNode.close();
  }

  @Test
  void reachesNoHook() throws InterruptedException {
    for (KvMessage.Outcome outcome : KvMessage.Outcome.values()) {
      KvOrder order =
          KvOrder.into(prefillNode.seenFrom(decodeNode), PageList.of(1, 2), () -> {})
              .deadline(PATIENCE)
              .build();
      Disposable running = decode.receive(order, KEPT).subscribe();
      KvMessage.Request request = prefill.nextRequest();
      running.dispose();
      KvMessage.End end = new KvMessage.End(request.id(), outcome, true, 0, "no");
      prefill.say(end);
      decode.settled().block(PATIENCE);
      prefill.say(end); // once more, and nobody waits for it
    }
    // What was said last has been read when a later order is refused.
    KvOrder last =
        KvOrder.into(prefillNode.seenFrom(decodeNode), PageList.of(1), () -> {})
            .deadline(PATIENCE)
            .build();
    var refused = decode.receive(last, KEPT).toFuture();
    prefill.say(
        new KvMessage.End(
            prefill.nextRequest().id(), KvMessage.Outcome.REFUSED, true, 0, "the last one"));
    assertThat(HandOverFixture.failureOf(refused)).hasMessageContaining("the last one");
    assertThat(dropped).isEmpty();
  }
}
