package io.reactivetransfer.kvcache;

import static io.reactivetransfer.kvcache.TestNode.PATIENCE;
import static io.reactivetransfer.kvcache.TestNode.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.reactivetransfer.PageList;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Two ends of a hand-over at once: what decode is told, and why, are of the same one. */
class EndAtOnceTest {

  private static final KvLayout LAYOUT = KvLayout.opaque(2, 8, 64);

  @Test
  void aCancelWhileTheComputationFailsIsACancel() {
    try (TestNode decodeNode = new TestNode("loopback", LAYOUT);
        TestNode prefillNode = new TestNode("loopback", LAYOUT)) {
      KvPrefill prefill = prefillNode.prefill();
      KvOrder order =
          KvOrder.into(prefillNode.seenFrom(decodeNode), PageList.of(0), () -> {})
              .deadline(PATIENCE)
              .build();
      CompletableFuture<?> arrival =
          decodeNode.decode().receive(order, come -> Mono.just(1)).toFuture();
      KvRequest request = await(prefill.requests().next());
      // Whoever says why it has failed finds that decode has cancelled meanwhile.
      RuntimeException failure =
          new RuntimeException() {
            @Override
            public String getMessage() {
              request.cancelled();
              return "the model is broken";
            }
          };
      HandOverException heard =
          catchThrowableOfType(
              HandOverException.class,
              () ->
                  prefill
                      .handOver(request, PageList.of(0), Flux.error(failure))
                      .blockLast(PATIENCE));
      assertThat(heard.reason()).isEqualTo(HandOverException.Reason.CANCELLED);
      HandOverException ended = HandOverFixture.failureOf(arrival);
      assertThat(ended.reason()).isEqualTo(HandOverException.Reason.CANCELLED);
      assertThat(ended).hasMessageContaining("decode cancelled it");
    }
  }
}
