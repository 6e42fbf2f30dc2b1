package io.reactivetransfer.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.Device;
import io.reactivetransfer.cuda.fake.FakeDriver;
import io.reactivetransfer.cuda.fake.Knob;
import io.reactivetransfer.cuda.fake.Live;
import java.util.Random;
import jcuda.driver.CUcontext;
import jcuda.driver.CUresult;
import jcuda.driver.CUstreamCaptureMode;
import jcuda.driver.JCudaDriver;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * The GPUs that a test has: those of the driver that has none, as they are at first, which must
 * leave no memory of theirs behind; there are as many as the environment of the tests says, two. Or
 * those of this machine, where the tests are asked for them: then whatever needs the fake of the
 * driver is skipped.
 */
final class Gpus implements BeforeEachCallback, AfterEachCallback {

  /** Whether the tests run on the GPUs of this machine. */
  static final boolean REAL = FakeDriver.isForbidden();

  static final Device FIRST = Device.of("cuda", 0);

  /** Another one; of one GPU only, that. */
  static final Device SECOND = Device.of("cuda", REAL ? lastOfTwo() : 1);

  private final @Nullable FakeDriver driver;

  /** Loads it: an engine that a test opens looks for a driver, and none is looked for twice. */
  Gpus() {
    driver = REAL ? null : FakeDriver.load();
  }

  private static int lastOfTwo() {
    CudaDriver.here().calls(); // throws where there is none, and says why
    return Math.min(1, CudaDriver.here().gpus().size() - 1);
  }

  /** For the kit, which has no extension of its own: the driver, as it is at first. */
  static void load() {
    if (!REAL) {
      FakeDriver.load().reset();
    }
  }

  /** The fake; skips the rest of the test where there is a GPU instead. */
  FakeDriver driver() {
    return driver == null ? FakeDriver.load() : driver;
  }

  /** Has streams take their time, if nothing else makes them. */
  void delay(long micros) {
    if (driver != null) {
      driver.set(Knob.DELAY_US, micros);
    }
  }

  /** Another process has the same. */
  void useIn(ProcessBuilder process) {
    if (driver != null) {
      driver.useIn(process);
    }
  }

  @Override
  public void beforeEach(ExtensionContext context) {
    if (driver != null) {
      driver.reset();
    }
    leaveAll();
  }

  /** A test that has leaving fail keeps on its thread what others would find there. */
  private static void leaveAll() {
    CUcontext current = new CUcontext();
    while (JCudaDriver.cuCtxPopCurrent(current) == CUresult.CUDA_SUCCESS) {
      current = new CUcontext();
    }
    JCudaDriver.cuThreadExchangeStreamCaptureMode(
        new int[] {CUstreamCaptureMode.CU_STREAM_CAPTURE_MODE_GLOBAL});
  }

  @Override
  public void afterEach(ExtensionContext context) {
    if (driver == null) {
      return;
    }
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
