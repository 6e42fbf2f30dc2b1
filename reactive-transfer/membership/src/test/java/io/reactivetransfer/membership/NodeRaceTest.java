package io.reactivetransfer.membership;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.reactivetransfer.HostPort;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.reactivestreams.Subscription;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.scheduler.Schedulers;

/** Threads that tell of nodes, beside a subscriber that asks for one change at a time. */
class NodeRaceTest {

  private static final int THREADS = 3;
  private static final int NAMES = 5;
  private static final int STEPS = 3_000;

  private final FakeSource source = new FakeSource();
  private final Map<String, Node> believed = new ConcurrentHashMap<>();
  private final Map<String, Node> real = new ConcurrentHashMap<>();
  private volatile boolean wrong;

  /** Each thread has names of its own, so that the last that it says is what is so. */
  private void tell(int thread) {
    Random random = new Random(thread);
    for (int step = 1; step <= STEPS; step++) {
      String name = "node-" + thread + "-" + random.nextInt(NAMES);
      if (random.nextBoolean()) {
        Node node = Node.of(name, "role", new HostPort("host", step));
        real.put(name, node);
        source.sink().exists(node);
      } else {
        real.remove(name);
        source.sink().gone(name);
      }
    }
  }

  private void believe(NodeChange change) {
    Node before =
        switch (change) {
          case NodeChange.Joined joined -> believed.put(joined.node().name(), joined.node());
          case NodeChange.Changed changed -> {
            Node old = believed.put(changed.node().name(), changed.node());
            wrong |= !changed.before().equals(old) || changed.node().equals(old);
            yield null;
          }
          case NodeChange.Left left -> {
            wrong |= !left.node().equals(believed.remove(left.node().name()));
            yield null;
          }
        };
    wrong |= before != null;
  }

  @Test
  void theSubscriberBelievesAtLastWhatIsSo() throws InterruptedException {
    source
        .changes(Schedulers.parallel())
        .subscribe(
            new BaseSubscriber<>() {
              @Override
              protected void hookOnSubscribe(Subscription subscription) {
                subscription.request(1);
              }

              @Override
              protected void hookOnNext(NodeChange change) {
                believe(change);
                request(1);
              }
            });
    List<Thread> threads =
        IntStream.range(0, THREADS)
            .mapToObj(thread -> Thread.ofPlatform().start(() -> tell(thread)))
            .toList();
    for (Thread thread : threads) {
      thread.join();
    }
    await().atMost(Duration.ofSeconds(20)).until(() -> new HashMap<>(believed).equals(real));
    assertThat(wrong).isFalse();
    assertThat(real).isNotEmpty();
  }
}
