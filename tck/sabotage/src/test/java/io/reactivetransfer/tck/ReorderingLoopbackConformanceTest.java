package io.reactivetransfer.tck;

import io.reactivetransfer.loopback.LoopbackBackend;
import io.reactivetransfer.spi.Backend;
import org.junit.jupiter.api.Tag;

/**
 * The same rules where nothing comes in the order in which it was sent, and a long write in parts.
 */
@Chapters(
    value = {"Visibility", "Arrival", "Quiet", "Counting", "Placement", "HalfWay"},
    unlessAll = true)
// A usual build has the simulation, whose network changes all orders.
@Tag("merge")
class ReorderingLoopbackConformanceTest extends TransferConformance {

  @Override
  protected Backend backend() {
    return LoopbackBackend.builder().reorder(7).maxCopyBytesPerPoll(5_000).build();
  }
}
