package io.reactivetransfer.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.reactivetransfer.Device;
import io.reactivetransfer.DeviceMemory;
import io.reactivetransfer.spi.BackendException;
import io.reactivetransfer.spi.DeviceAccess;
import io.reactivetransfer.spi.DeviceAccess.DmaBuf;
import io.reactivetransfer.spi.DeviceWay;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** Chapter 28, continued: memory of devices for NICs that read and write it by themselves. */
abstract class DeviceNicRules extends DeviceRuleGroup {

  private static final int BYTES = 100_000;

  /** So many that what each of them leaves open is told from what others open meanwhile. */
  private static final int EXPORTS = 100;

  DeviceNicRules(DeviceConformance kit) {
    super(kit);
  }

  @Test
  final void r28_21_whoIsOpenToNicsSaysInWhichWays() {
    DeviceAccess access = ground().access();
    for (Device device : access.devices()) {
      assertThat(access.waysForNics(device))
          .as("ways of %s", device)
          .isSubsetOf(DeviceWay.DMA_BUF, DeviceWay.PEER_MEMORY);
      assertThat(access.waysForNics(device).isEmpty())
          .as("whether there is no way to %s, which says of itself whether it is open", device)
          .isEqualTo(!access.isOpenToNics(device));
    }
  }

  @Test
  final void r28_22_memoryIsExportedOrRefused() {
    for (Device device : ground().devices()) {
      DeviceMemory memory = ground().allocate(device, BYTES);
      if (ground().access().waysForNics(device).contains(DeviceWay.DMA_BUF)) {
        assertExported(memory);
        assertExported(memory.slice(100, 5_000));
        assertNothingIsLeftOpen(memory);
        DeviceMemory gone = ground().freed(device, BYTES);
        DeviceRefusalRules.assertRefused(
            "exporting memory that is gone", () -> ground().access().exportDmaBuf(gone).close());
      } else {
        assertThatThrownBy(
                () -> ground().access().exportDmaBuf(memory).close(),
                "what comes of exporting memory of %s, for which there is no such way",
                device)
            .isInstanceOf(BackendException.class)
            .hasMessageContaining(device.toString());
      }
    }
  }

  private void assertExported(DeviceMemory memory) {
    try (DmaBuf one = ground().access().exportDmaBuf(memory);
        DmaBuf other = ground().access().exportDmaBuf(memory)) {
      assertThat(one.descriptor())
          .as("the descriptor of one of two exports")
          .isNotNegative()
          .isNotEqualTo(other.descriptor());
      assertThat(one.offset()).as("where exported memory begins").isNotNegative();
      if (Footprint.canBeTaken()) {
        assertThat(Path.of("/proc/self/fd", Integer.toString(one.descriptor())))
            .as("the descriptor of exported memory, which is open")
            .satisfies(file -> assertThat(Files.isSymbolicLink(file)).isTrue());
      }
    }
  }

  private void assertNothingIsLeftOpen(DeviceMemory memory) {
    if (!Footprint.canBeTaken()) {
      return; // only Linux shows it, and has dma-bufs
    }
    long before = Footprint.now().files();
    for (int i = 0; i < EXPORTS; i++) {
      ground().access().exportDmaBuf(memory).close();
    }
    assertThat(Footprint.now().files() - before)
        .as("open files that %s exports have left, all of them closed", EXPORTS)
        .isLessThan(EXPORTS);
  }

  @Test
  final void r28_23_aDeviceThatIsOpenToNicsIsFlushed() {
    DeviceAccess access = ground().access();
    boolean isOpen = false;
    for (Device device : ground().devices()) {
      if (!access.isOpenToNics(device)) {
        continue;
      }
      isOpen = true;
      byte[] bytes = ground().noise(BYTES);
      DeviceMemory memory = ground().allocate(device, bytes);
      access.flush(device);
      access.flush(device);
      ground().elsewhere("flush()", () -> access.flush(device));
      assertHolds(memory, bytes, "memory of %s, flushed", device);
    }
    assumeTrue(isOpen, "no device says that it is open to NICs");
  }
}
