package io.reactivetransfer.tools.perf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivetransfer.Device;
import io.reactivetransfer.DeviceMemory;
import io.reactivetransfer.tck.FakeDevice;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Memory that nobody reaches but by copies. */
class GpuBufferTest {

  private static final int MIB = 1 << 20;

  private final FakeDevice device = new FakeDevice(Device.of("fake", 1));
  private final AtomicInteger freed = new AtomicInteger();

  private GpuBuffer buffer(DeviceMemory memory) {
    return new GpuBuffer(device, memory, freed::incrementAndGet);
  }

  /** So that what goes from one to the other can be compared, and pieces do not show. */
  @ParameterizedTest
  @ValueSource(ints = {1, 100, MIB - 1, MIB, MIB + 1, 3 * MIB + 13})
  void holdsWhatTheHostWouldAndHasItsChecksum(int bytes) {
    DeviceMemory memory = device.allocate(bytes);
    try (HostBuffer host = new HostBuffer(bytes);
        GpuBuffer gpu = buffer(memory)) {
      host.fill(7);
      gpu.fill(7);
      assertThat(device.read(memory)).isEqualTo(host.segment().toArray(ValueLayout.JAVA_BYTE));
      assertThat(gpu.checksum(bytes)).isEqualTo(host.checksum(bytes));
      assertThat(gpu.checksum(bytes / 2)).isEqualTo(host.checksum(bytes / 2));
    }
  }

  @Test
  void oneByteThatIsAnotherShows() {
    DeviceMemory memory = device.allocate(2 * MIB);
    try (GpuBuffer gpu = buffer(memory)) {
      gpu.fill(7);
      long before = gpu.checksum(2 * MIB);
      byte[] bytes = device.read(memory);
      bytes[2 * MIB - 1]++;
      device.write(memory, bytes);
      assertThat(gpu.checksum(2 * MIB)).isNotEqualTo(before);
    }
  }

  @Test
  void isFreedOnceAndIsNoneOfTheHost() {
    GpuBuffer gpu = buffer(device.allocate(100));
    assertThatThrownBy(gpu::segment)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("expected memory of the host, got ");
    assertThat(freed).hasValue(0);
    gpu.close();
    assertThat(freed).hasValue(1);
  }
}
