package io.reactivetransfer.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.cuda.fake.Knob;
import io.reactivetransfer.spi.Availability;
import io.reactivetransfer.spi.Availability.Unavailable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class DriverProbeTest {

  @RegisterExtension private final Gpus gpus = new Gpus();

  private static Unavailable none(String library) {
    Availability found = DriverProbe.of(library).availability();
    assertThat(found).isInstanceOf(Unavailable.class);
    return (Unavailable) found;
  }

  @Test
  void noDriver() {
    Unavailable none = none("libcuda-that-is-not-there.so.1");
    assertThat(none.reason()).contains("no driver").contains("libcuda-that-is-not-there.so.1");
    assertThat(none.remedy()).contains("install").contains("--gpus all");
  }

  @Test
  void anotherLibraryIsTooOld() {
    assertThat(none("libc.so.6").reason()).contains("too old").contains("cuInit");
  }

  @Test
  void anOldDriver() {
    gpus.driver().set(Knob.VERSION, 11_060);
    Unavailable none = none(CudaDriver.LIBRARY);
    assertThat(none.reason()).contains("11.7").contains("11.6");
    assertThat(none.remedy()).contains("515");
  }

  @Test
  void aDriverWithoutAGpu() {
    gpus.driver().set(Knob.DEVICES, 0);
    Unavailable none = none(CudaDriver.LIBRARY);
    assertThat(none.reason()).contains("CUDA_ERROR_NO_DEVICE").contains("100");
    assertThat(none.remedy()).contains("CUDA_VISIBLE_DEVICES");
  }

  /**
   * As libcuda 535 says where there is no module in the kernel, and where it is of another version.
   */
  @Test
  void aDriverThatRefuses() {
    gpus.driver().fault("cuInit", 1, 803);
    assertThat(none(CudaDriver.LIBRARY).reason()).contains("CUDA_ERROR_SYSTEM_DRIVER_MISMATCH");
    gpus.driver().fault("cuInit", 1, 999);
    assertThat(none(CudaDriver.LIBRARY).remedy()).contains("nvidia-smi");
    gpus.driver().fault("cuDriverGetVersion", 1, 1);
    assertThat(none(CudaDriver.LIBRARY).reason()).contains("cuDriverGetVersion");
    gpus.driver().fault("cuDeviceGetCount", 1, 3);
    assertThat(none(CudaDriver.LIBRARY).reason()).contains("cuDeviceGetCount");
  }
}
