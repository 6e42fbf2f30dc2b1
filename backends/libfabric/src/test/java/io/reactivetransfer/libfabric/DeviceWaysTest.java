package io.reactivetransfer.libfabric;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.Device;
import io.reactivetransfer.libfabric.ffi.Fi;
import io.reactivetransfer.libfabric.ffi.FiInfo;
import io.reactivetransfer.libfabric.ffi.TapLibFabric;
import io.reactivetransfer.spi.DeviceWay;
import io.reactivetransfer.tck.FakeDevice;
import java.lang.foreign.Arena;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class DeviceWaysTest {

  private static final Device GPU = Device.of("cuda", 0);

  private final Arena arena = Arena.ofShared();
  private final FiInfo plain = info();
  private final FiInfo reaching = TapLibFabric.reachingDevices(info());

  private FiInfo info() {
    return TapLibFabric.info(arena, Fi.FI_MR_PROV_KEY, 8, 8, 0);
  }

  @AfterEach
  void free() {
    arena.close();
  }

  @Test
  void aProviderThatReachesGpusIsGivenThose() {
    assertThat(DeviceWays.of(reaching, GPU, new OpenToNics(GPU))).isEqualTo(DeviceWay.DMA_BUF);
  }

  @Test
  void allElseIsCopiedThroughTheHost() {
    Device other = Device.of("abacus", 0);
    assertThat(DeviceWays.of(plain, GPU, new OpenToNics(GPU))).isEqualTo(DeviceWay.STAGED);
    assertThat(DeviceWays.of(reaching, other, new OpenToNics(other))).isEqualTo(DeviceWay.STAGED);
    assertThat(DeviceWays.of(reaching, GPU, new FakeDevice(GPU)))
        .as("closed to NICs")
        .isEqualTo(DeviceWay.STAGED);
  }
}
