package io.reactivetransfer.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.Device;
import io.reactivetransfer.cuda.fake.FakeDriver;
import io.reactivetransfer.cuda.fake.Live;
import java.util.Random;
import jcuda.driver.CUcontext;
import jcuda.driver.CUresult;
import jcuda.driver.JCudaDriver;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * The GPUs of the driver that has none, as they are at first, for each test; which must leave no
 * memory of theirs behind. There are as many as the environment of the tests says: two.
 */
final class Gpus implements BeforeEachCallback, AfterEachCallback {

  static final Device FIRST = Device.of("cuda", 0);
  static final Device SECOND = Device.of("cuda", 1);

  private final FakeDriver driver;

  /** Loads it: an engine that a test opens looks for a driver, and none is looked for twice. */
  Gpus() {
    driver = FakeDriver.load();
  }

  FakeDriver driver() {
    return driver;
  }

  @Override
  public void beforeEach(ExtensionContext context) {
    driver.reset();
    leaveAll();
  }

  /** A test that has leaving fail keeps a context on its thread, where others would find it. */
  private static void leaveAll() {
    CUcontext current = new CUcontext();
    while (JCudaDriver.cuCtxPopCurrent(current) == CUresult.CUDA_SUCCESS) {
      current = new CUcontext();
    }
  }

  @Override
  public void afterEach(ExtensionContext context) {
    long[] left = {
      driver.live(Live.DEVICE_MEMORY), driver.live(Live.IPC_MAPPING), driver.live(Live.HOST_MEMORY)
    };
    driver.reset();
    assertThat(left).as("memory of GPUs, mappings and memory of the host").containsOnly(0);
  }

  /** Bytes that nothing else has by chance. */
  static byte[] noise(int length) {
    byte[] bytes = new byte[length];
    new Random(length).nextBytes(bytes);
    return bytes;
  }
}
