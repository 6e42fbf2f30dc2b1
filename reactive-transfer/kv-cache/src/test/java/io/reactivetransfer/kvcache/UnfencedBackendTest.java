package io.reactivetransfer.kvcache;

import static io.reactivetransfer.kvcache.TestNode.KEPT;
import static io.reactivetransfer.kvcache.TestNode.PATIENCE;
import static io.reactivetransfer.kvcache.TestNode.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.PageList;
import io.reactivetransfer.engine.TransferEngineBuilder;
import io.reactivetransfer.loopback.LoopbackBackend;
import io.reactivetransfer.loopback.LoopbackNetwork;
import io.reactivetransfer.spi.Capabilities;
import io.reactivetransfer.spi.Domain;
import io.reactivetransfer.tck.ForwardingBackend;
import io.reactivetransfer.tck.ForwardingDomain;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** On a backend that does not keep out what a lost peer may still write. */
class UnfencedBackendTest {

  private static final OldLayout LAYOUT = new OldLayout(5, 24, 1_000);
  private static final int PAGES = 8;

  /** A NIC that says so. */
  private static final class Unfenced extends ForwardingDomain {

    Unfenced(Domain inner) {
      super(inner);
    }

    @Override
    public Capabilities capabilities() {
      Capabilities can = inner.capabilities();
      return can.toBuilder().fencesLostPeers(false).build();
    }
  }

  @Test
  void pagesOfALostPrefillAreHeldUntilTheyAreReclaimed() {
    LoopbackBackend loopback = LoopbackBackend.builder().network(new LoopbackNetwork()).build();
    ForwardingBackend backend =
        new ForwardingBackend(loopback, (domain, context) -> new Unfenced(domain));
    PagePool pool = PagePool.inOrder(PageList.range(0, 24));
    try (TestNode decodeNode =
            new TestNode(TransferEngineBuilder.create().backend(backend), LAYOUT);
        TestNode prefillNode =
            new TestNode(TransferEngineBuilder.create().backend(backend), LAYOUT)) {
      assertThat(decodeNode.engine.fencesLostPeers()).isFalse();
      KvDecode decode = decodeNode.decode(pool);
      KvPrefill prefill = prefillNode.prefill();
      KvOrder order =
          KvOrder.of(
              prefillNode.seenFrom(decodeNode),
              PAGES,
              decodeNode.tailRegion.slice(0, 100),
              PATIENCE);
      CompletableFuture<KvArrival> arrival = decode.receive(order, KEPT).toFuture();
      await(prefill.requests().next());
      prefillNode.engine.close().block(PATIENCE);

      assertThat(HandOverFixture.failureOf(arrival).reason())
          .isEqualTo(HandOverException.Reason.PEER_LOST);
      assertThat(decode.held()).isEqualTo(1);
      assertThat(pool.free()).isEqualTo(24 - PAGES);
      decode.reclaim().block(PATIENCE);
      assertThat(decode.held()).isZero();
      assertThat(pool.free()).isEqualTo(24);
      decode.dispose();
      prefill.dispose();
    }
  }
}
