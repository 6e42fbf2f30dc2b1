package io.reactivetransfer.engine.origin;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.Access;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.RegionDescriptor;
import io.reactivetransfer.RemoteRegion;
import io.reactivetransfer.Transfer;
import io.reactivetransfer.TransferRejectedException;
import io.reactivetransfer.Write;
import io.reactivetransfer.engine.EngineByHand;
import io.reactivetransfer.engine.base.Probe;
import io.reactivetransfer.engine.memory.ResolvedRegions;
import io.reactivetransfer.engine.peers.PeerLink;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** An application may make a region of a descriptor that no NIC understands for each request. */
class UnresolvedRegionsTest {

  private static final long REGION = 64;

  @RegisterExtension final EngineByHand hand = new EngineByHand();

  @Test
  void areNotKept() {
    hand.open(2);
    MemoryRegion source = hand.region();
    Write known = Write.of(source.slice(0, 1), hand.remote(1).slice(0, 1));
    hand.probe(hand.engine().submit(known));
    hand.settle();
    ResolvedRegions kept = Outbound.to((PeerLink) hand.peer(1)).resolved;
    int before = kept.size();
    for (int number = 100; number < 103; number++) {
      RegionDescriptor wrong =
          new RegionDescriptor(
              hand.address(1), number, REGION, Access.REMOTE_WRITE, List.of(new byte[] {1}));
      RemoteRegion region = hand.engine().remote(wrong);
      Probe<Transfer> write =
          hand.probe(
              hand.engine().submit((Transfer) Write.of(source.slice(0, 1), region.slice(0, 1))));
      hand.turn();
      assertThat(write.error()).isInstanceOf(TransferRejectedException.class);
    }
    assertThat(kept.size()).isEqualTo(before);
  }
}
