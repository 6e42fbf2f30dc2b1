package io.reactivetransfer.kvcache;

import static io.reactivetransfer.kvcache.TestNode.MODEL;
import static io.reactivetransfer.kvcache.TestNode.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** A role that is asked for while its cache is disposed of would never hear of an end. */
class PrefillOfADisposedCacheTest {

  @Test
  void isRefused() {
    try (TestNode node = new TestNode("loopback", KvLayout.opaque(1, 4, 64))) {
      KvCache cache = node.cache();
      CompletableFuture<KvPrefill> made = new CompletableFuture<>();
      Thread asking =
          new Thread(() -> {
            try {
              made.complete(cache.prefill(MODEL, node.memory));
            } catch (Throwable refused) {
              made.completeExceptionally(refused);
            }
          });
      // Whoever holds the desk stops the other thread where it has found the cache in use.
      synchronized (cache.desk) {
        asking.start();
        await().atMost(PATIENCE).until(() -> asking.getState() == Thread.State.BLOCKED);
        cache.dispose();
      }
      assertThat(made.orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS))
          .failsWithin(PATIENCE)
          .withThrowableThat()
          .withMessageContaining("expected a KvCache that is in use, got one disposed of");
      assertThat(cache.closed().toFuture()).succeedsWithin(PATIENCE);
    }
  }
}
