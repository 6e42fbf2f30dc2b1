package io.reactivetransfer.ibverbs;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.ibverbs.ffi.FakeVerbs;
import io.reactivetransfer.spi.Backend;
import io.reactivetransfer.tck.Chapters;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;

/**
 * The chapters about bytes and keys, where all memory is an accelerator's on both sides, which the
 * cards read and write by themselves. The other chapters are the same for all memory. In a usual
 * build DeviceMemoryTest has such memory read, written, flushed, revoked and closed.
 */
// A usual build has these chapters with memory of the host.
@Tag("merge")
@Tag("nightly")
@Chapters({"Visibility", "Placement", "HalfWay", "Revocation"})
class IbverbsFakeWithDeviceConformanceTest extends IbverbsFakeConformanceTest {

  private FakeVerbs card;
  private ExportingDevice device;

  @Override
  FakeVerbs cards() {
    card = super.cards();
    device = ExportingDevice.ofThisProcess(card);
    return card;
  }

  @Override
  protected Backend backend() {
    return new DeviceOfCards(super.backend(), device);
  }

  @AfterEach
  void noExportIsLeftOpen() {
    assertThat(card.exported()).as("descriptors that are open").isEmpty();
  }
}
