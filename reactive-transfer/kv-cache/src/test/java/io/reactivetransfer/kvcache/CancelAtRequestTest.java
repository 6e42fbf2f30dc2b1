package io.reactivetransfer.kvcache;

import static io.reactivetransfer.kvcache.TestNode.KEPT;
import static io.reactivetransfer.kvcache.TestNode.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.reactivetransfer.TransferEngine;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.reactivestreams.Subscription;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Mono;

/** A cancel that comes while the request is made: then either goes the request, or the pages. */
class CancelAtRequestTest {

  private static final KvLayout LAYOUT = KvLayout.opaque(2, 8, 64);

  private final AtomicReference<Subscription> running = new AtomicReference<>();

  /** Cancels when it is asked how long a message may be, and sends as fast as can be. */
  private TransferEngine cancelling(TransferEngine engine) {
    return (TransferEngine)
        Proxy.newProxyInstance(
            getClass().getClassLoader(),
            new Class<?>[] {TransferEngine.class},
            (self, method, args) -> {
              Subscription now = running.get(); // none while the cache is opened
              if (method.getName().equals("options") && now != null) {
                now.cancel();
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
      FakePrefill prefill = new FakePrefill(prefillNode, decodeNode).takingAll();
      PagePool pool = PagePool.of(8);
      KvCache cache = KvCache.open(cancelling(decodeNode.engine));
      KvDecode decode = cache.decode(TestNode.MODEL, decodeNode.memory);
      KvOrder order = KvOrder.into(prefillNode.seenFrom(decodeNode), pool.reserve(4)).build();
      decode
          .receive(order, KEPT)
          .subscribe(
              new BaseSubscriber<KvArrival>() {
                @Override
                protected void hookOnSubscribe(Subscription subscription) {
                  running.set(subscription);
                }
              });
      await().atMost(PATIENCE).until(() -> pool.free() == 8);
      KvMessage later = new KvMessage.Cancel(99);
      decodeNode
          .engine
          .send(prefillNode.seenFrom(decodeNode), KvInbox.REQUESTS, KvCodec.encode(later))
          .block(PATIENCE);
      assertThat(prefill.next()).isEqualTo(later);
    }
  }
}
