package io.reactivetransfer.kvcache;

import static io.reactivetransfer.kvcache.TestNode.KEPT;
import static io.reactivetransfer.kvcache.TestNode.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.Message;
import io.reactivetransfer.TransferEngine;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedTransferQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.reactivestreams.Subscription;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Mono;

/** A cancel that comes while the request is made: then either goes the request, or the pages. */
class CancelAtRequestTest {

  private static final OldLayout LAYOUT = new OldLayout(2, 8, 64);

  private final AtomicReference<Subscription> running = new AtomicReference<>();

  /** Cancels when it is asked how long a message may be, and sends as fast as can be. */
  private TransferEngine cancelling(TransferEngine engine) {
    return (TransferEngine)
        Proxy.newProxyInstance(
            getClass().getClassLoader(),
            new Class<?>[] {TransferEngine.class},
            (self, method, args) -> {
              if (method.getName().equals("options")) {
                running.get().cancel();
              }
              try {
                Object result = method.invoke(engine, args);
                return method.getName().equals("send")
                    ? Mono.fromRunnable(() -> ((Mono<?>) result).block(PATIENCE))
                    : result;
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  @Test
  void pagesThatAreGivenBackAreNotAskedFor() throws InterruptedException {
    try (TestNode decodeNode = new TestNode("loopback", LAYOUT);
        TestNode prefillNode = new TestNode("loopback", LAYOUT)) {
      BlockingQueue<Message> messages = new LinkedTransferQueue<>();
      prefillNode.engine.messages(KvInbox.TO_PREFILL).subscribe(messages::add);
      PagePool pool = PagePool.of(8);
      KvDecode decode = KvDecode.open(cancelling(decodeNode.engine), decodeNode.memory, pool);
      KvOrder order =
          KvOrder.of(
              prefillNode.seenFrom(decodeNode), 4, decodeNode.tailRegion.slice(0, 16), PATIENCE);
      decode
          .receive(order, KEPT)
          .subscribe(
              new BaseSubscriber<KvArrival>() {
                @Override
                protected void hookOnSubscribe(Subscription subscription) {
                  running.set(subscription);
                }
              });
      assertThat(pool.free()).isEqualTo(8);
      OldMessage later = new OldMessage.Cancel(99);
      decodeNode
          .engine
          .send(prefillNode.seenFrom(decodeNode), KvInbox.TO_PREFILL, OldCodec.encode(later))
          .block(PATIENCE);
      Message first = messages.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS);
      assertThat(first).isNotNull();
      assertThat(OldCodec.decode(first.bytes())).isEqualTo(later);
    }
  }
}
