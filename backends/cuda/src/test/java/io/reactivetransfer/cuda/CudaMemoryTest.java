package io.reactivetransfer.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivetransfer.Device;
import io.reactivetransfer.DeviceMemory;
import io.reactivetransfer.cuda.fake.Knob;
import io.reactivetransfer.cuda.fake.Live;
import java.lang.foreign.Arena;
import jcuda.driver.CUcontext;
import jcuda.driver.CUdevice;
import jcuda.driver.CUdeviceptr;
import jcuda.driver.JCudaDriver;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class CudaMemoryTest {

  /** The fifth question about an address, and each is asked twice on a thread without a context. */
  private static final int CONTEXT_OF_POINTER = 9;

  @RegisterExtension private final Gpus gpus = new Gpus();

  @Test
  void ownsWhatItAllocates() {
    CudaMemory memory = CudaMemory.allocate(Gpus.SECOND, 5_000);
    assertThat(memory.memory().device()).isEqualTo(Gpus.SECOND);
    assertThat(memory.memory().length()).isEqualTo(5_000);
    assertThat(gpus.driver().live(Live.DEVICE_MEMORY)).isEqualTo(1);
    memory.close();
    memory.close();
    assertThat(gpus.driver().live(Live.DEVICE_MEMORY)).isZero();
    assertThat(gpus.driver().calls("cuMemFree")).isEqualTo(1);
  }

  @Test
  void namesWhatOthersHaveAllocated() {
    try (CudaMemory memory = CudaMemory.allocate(Gpus.SECOND, 5_000)) {
      DeviceMemory part = CudaMemory.of(memory.pointer().withByteOffset(1_000), 4_000);
      assertThat(part).isEqualTo(memory.memory().slice(1_000, 4_000));
      assertThat(CudaMemory.of(part.address(), 1)).isEqualTo(part.slice(0, 1));
      assertThatThrownBy(() -> CudaMemory.of(part.address(), 4_001))
          .isInstanceOf(CudaException.class)
          .hasMessageContaining("expected 1 to 4000 bytes")
          .hasMessageContaining("got 4001");
    }
  }

  @Test
  void refusesMemoryOfAnotherContext() {
    CUdevice device = new CUdevice();
    CUcontext other = new CUcontext();
    CUdeviceptr pointer = new CUdeviceptr();
    assertThat(JCudaDriver.cuDeviceGet(device, 1)).isZero();
    assertThat(JCudaDriver.cuCtxCreate(other, 0, device)).isZero();
    assertThat(JCudaDriver.cuMemAlloc(pointer, 5_000)).isZero();
    for (boolean isCurrent : new boolean[] {true, false}) {
      assertThatThrownBy(() -> CudaMemory.of(pointer, 5_000))
          .as("while its context is current: %s", isCurrent)
          .isInstanceOf(CudaException.class)
          .hasMessageContainingAll(
              "expected memory of the primary context of cuda:1",
              "got memory of another context at 0x",
              "cuDevicePrimaryCtxRetain");
      if (isCurrent) {
        assertThat(JCudaDriver.cuCtxPopCurrent(other)).isZero();
      }
    }
    assertThat(gpus.driver().calls("cuPointerSetAttribute")).as("what was changed there").isZero();
    assertThat(JCudaDriver.cuCtxPushCurrent(other)).isZero();
    assertThat(JCudaDriver.cuMemFree(pointer)).isZero();
    assertThat(JCudaDriver.cuCtxDestroy(other)).isZero();
  }

  @Test
  void namesMemoryOfThePrimaryContextWhicheverIsCurrent() {
    CUdevice device = new CUdevice();
    CUcontext other = new CUcontext();
    assertThat(JCudaDriver.cuDeviceGet(device, 0)).isZero();
    try (CudaMemory memory = CudaMemory.allocate(Gpus.SECOND, 5_000)) {
      assertThat(JCudaDriver.cuCtxCreate(other, 0, device)).isZero();
      assertThat(CudaMemory.of(memory.pointer(), 5_000)).isEqualTo(memory.memory());
      assertThat(JCudaDriver.cuCtxDestroy(other)).isZero();
    }
  }

  /** Which the driver says to be of no context, and of which it waits for no copies. */
  @Test
  void namesMemoryOfAPool() {
    try (CudaMemory memory = CudaMemory.allocate(Gpus.SECOND, 5_000)) {
      gpus.driver().set(Knob.POOLED, 1);
      assertThat(CudaMemory.of(memory.pointer(), 5_000)).isEqualTo(memory.memory());
      assertThat(gpus.driver().calls("cuPointerSetAttribute")).isEqualTo(2);
      gpus.driver().set(Knob.POOLED, 0);
      gpus.driver().fault("cuPointerGetAttribute", CONTEXT_OF_POINTER, 1);
      assertThat(CudaMemory.of(memory.pointer(), 5_000)).isEqualTo(memory.memory());
    }
  }

  @Test
  void refusesWhatIsNoMemoryOfAGpu() {
    try (Arena arena = Arena.ofConfined()) {
      long host = arena.allocate(100).address();
      assertThatThrownBy(() -> CudaMemory.of(host, 100))
          .isInstanceOf(CudaException.class)
          .hasMessageContaining("memory that the driver allocated")
          .hasMessageContaining("CUDA_ERROR_INVALID_VALUE");
    }
    assertThatThrownBy(() -> CudaMemory.allocate(Gpus.FIRST, 0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("1 or more");
    for (Device other : new Device[] {Device.of("cuda", 77), Device.of("rocm", 0)}) {
      assertThatThrownBy(() -> CudaMemory.allocate(other, 1))
          .isInstanceOf(CudaException.class)
          .hasMessageContaining("expected one of [cuda:0")
          .hasMessageContaining(other.toString());
    }
  }

  @Test
  void saysThatThereIsTooLittle() {
    assertThatThrownBy(() -> CudaMemory.allocate(Gpus.FIRST, 1L << 40))
        .isInstanceOfSatisfying(CudaException.class, e -> assertThat(e.code()).isEqualTo(2))
        .hasMessageContaining("CUDA_ERROR_OUT_OF_MEMORY")
        .hasMessageContaining("take less");
  }

  /** Allocating takes a few calls; none of them that fails may leave memory behind. */
  @Test
  void whicheverCallFailsNothingIsLeft() {
    CudaMemory.allocate(Gpus.FIRST, 10).close();
    gpus.driver().reset();
    CudaMemory.allocate(Gpus.FIRST, 10).close();
    int calls = gpus.driver().calls().size();
    assertThat(calls).isGreaterThan(4);
    for (int n = 1; n <= calls; n++) {
      gpus.driver().reset();
      gpus.driver().failCall(n, 719);
      boolean freeing = false;
      try {
        CudaMemory memory = CudaMemory.allocate(Gpus.FIRST, 10);
        freeing = true;
        memory.close();
      } catch (CudaException e) {
        assertThat(e).hasMessageContaining("CUDA_ERROR_LAUNCH_FAILED");
      }
      String failed = gpus.driver().calls().get(n - 1);
      boolean goesOn = failed.startsWith("cuCtxPop") || failed.startsWith("cuThreadExchange");
      if (!freeing || goesOn) {
        assertThat(gpus.driver().live(Live.DEVICE_MEMORY)).as("after %s failed", failed).isZero();
      } else {
        assertThat(gpus.driver().live(Live.DEVICE_MEMORY)).as("after %s failed", failed).isOne();
        gpus.driver().reset(); // what could not be freed is lost, as close() says
      }
    }
  }
}
