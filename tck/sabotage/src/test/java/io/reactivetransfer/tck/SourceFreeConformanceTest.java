package io.reactivetransfer.tck;

import io.reactivetransfer.loopback.LoopbackBackend;
import io.reactivetransfer.spi.Backend;
import org.junit.jupiter.api.Tag;

/** The rules accuse nobody who promises no more than that a write's source is free. */
@Chapters(
    value = {"Visibility", "Quiet", "LostPeer", "Revocation", "Counting", "DriverReport"},
    unlessAll = true)
// A usual build has the kit on NICs that name their peers.
@Tag("merge")
class SourceFreeConformanceTest extends TransferConformance {

  @Override
  protected Backend backend() {
    return new ForwardingBackend(new LoopbackBackend(), EarlyNic::new);
  }
}
