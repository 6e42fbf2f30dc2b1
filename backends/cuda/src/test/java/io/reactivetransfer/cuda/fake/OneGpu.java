package io.reactivetransfer.cuda.fake;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** The driver as it is at first, and its first device, for each test; nothing of it may leak. */
final class OneGpu implements BeforeEachCallback, AfterEachCallback {

  FakeDriver driver;
  TestGpu gpu;

  @Override
  public void beforeEach(ExtensionContext context) {
    driver = FakeDriver.load();
    JCudaLibrary.load();
    driver.reset();
    gpu = new TestGpu(0);
  }

  @Override
  public void afterEach(ExtensionContext context) {
    try {
      if (gpu != null) {
        gpu.close();
        assertThat(driver.live()).isEmpty();
      }
    } finally {
      if (driver != null) {
        driver.reset();
      }
    }
  }
}
