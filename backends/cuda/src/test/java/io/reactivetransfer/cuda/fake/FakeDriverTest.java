package io.reactivetransfer.cuda.fake;

import static io.reactivetransfer.cuda.fake.TestGpu.ok;
import static jcuda.driver.CUresult.CUDA_ERROR_CONTEXT_IS_DESTROYED;
import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.cuda.fake.TestGpu.DevicePointer;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Map;
import jcuda.Pointer;
import jcuda.driver.CUdevice_attribute;
import jcuda.driver.CUresult;
import jcuda.driver.JCudaDriver;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What tests ask of the driver: faults, counts, and what a NIC does. */
class FakeDriverTest {

  @RegisterExtension private final OneGpu one = new OneGpu();

  @Test
  void theNthCallFailsAndNoOther() {
    one.driver.fault("cuMemAlloc", 2, CUresult.CUDA_ERROR_OUT_OF_MEMORY);
    DevicePointer first = one.gpu.allocate(100);
    assertThat(JCudaDriver.cuMemAlloc(new DevicePointer(), 100))
        .isEqualTo(CUresult.CUDA_ERROR_OUT_OF_MEMORY);
    DevicePointer third = one.gpu.allocate(100);
    assertThat(one.driver.calls("cuMemAlloc")).isEqualTo(3);
    assertThat(one.driver.live()).containsEntry(Live.DEVICE_MEMORY, 2L);
    ok(JCudaDriver.cuMemFree(first));
    ok(JCudaDriver.cuMemFree(third));
  }

  @Test
  void anyCallCanBeTheOneThatFails() {
    one.driver.reset();
    useSomeMemory();
    int calls = one.driver.calls().size();
    assertThat(one.driver.calls()).contains("cuMemAlloc_v2", "cuMemcpyHtoD_v2", "cuMemFree_v2");
    for (int n = 1; n <= calls; n++) {
      one.driver.reset();
      one.driver.failCall(n, CUresult.CUDA_ERROR_UNKNOWN);
      assertThat(useSomeMemory()).as("call %s", n).isEqualTo(CUresult.CUDA_ERROR_UNKNOWN);
    }
    one.driver.reset();
    assertThat(useSomeMemory()).isZero();
  }

  private static int useSomeMemory() {
    DevicePointer memory = new DevicePointer();
    int allocated = JCudaDriver.cuMemAlloc(memory, 16);
    if (allocated != 0) {
      return allocated;
    }
    int copied = JCudaDriver.cuMemcpyHtoD(memory, Pointer.to(new byte[16]), 16);
    int freed = JCudaDriver.cuMemFree(memory);
    return copied != 0 ? copied : freed;
  }

  @Test
  void whatIsNotFreedIsCounted() {
    DevicePointer memory = one.gpu.allocate(16);
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment pinned = TestGpu.pinned(arena, 16);
      var stream = TestGpu.stream();
      assertThat(one.driver.live())
          .isEqualTo(
              Map.of(
                  Live.DEVICE_MEMORY,
                  1L,
                  Live.REGISTRATION,
                  1L,
                  Live.STREAM,
                  1L,
                  Live.CONTEXT,
                  1L));
      ok(JCudaDriver.cuStreamDestroy(stream));
      TestGpu.unpin(pinned);
    }
    ok(JCudaDriver.cuMemFree(memory));
  }

  @Test
  void aNicReachesMemoryPastTheStreams() {
    DevicePointer memory = one.gpu.allocate(4096);
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment bytes = arena.allocate(16).fill((byte) 7);
      one.driver.dmaWrite(memory.address() + 100, bytes);
      assertThat(TestGpu.read(memory.at(100), 16)).containsOnly((byte) 7);
      assertThat(TestGpu.read(memory, 100)).as("fresh").containsOnly((byte) 0xdb);
      bytes.fill((byte) 0);
      one.driver.dmaRead(memory.address() + 100, bytes);
      assertThat(bytes.get(ValueLayout.JAVA_BYTE, 15)).isEqualTo((byte) 7);
    }
    ok(JCudaDriver.cuMemFree(memory));
  }

  @Test
  void whatADeviceCannotDoIsATestsChoice() {
    int dmaBuf = CUdevice_attribute.CU_DEVICE_ATTRIBUTE_DMA_BUF_SUPPORTED;
    assertThat(one.gpu.attribute(dmaBuf)).isEqualTo(1);
    one.driver.attribute(dmaBuf, 0);
    assertThat(one.gpu.attribute(dmaBuf)).isZero();
  }

  @Test
  void aFunctionThatIsOnlyAStubIsNotSupported() {
    assertThat(JCudaDriver.cuProfilerStart()).isEqualTo(CUresult.CUDA_ERROR_NOT_SUPPORTED);
  }

  @Test
  void aThreadHasNoContextUntilItSetsOne() throws InterruptedException {
    int[] result = new int[1];
    Thread other = new Thread(() -> result[0] = JCudaDriver.cuCtxSynchronize());
    other.start();
    other.join();
    assertThat(result[0]).isEqualTo(CUresult.CUDA_ERROR_INVALID_CONTEXT);
  }

  @Test
  void aContextThatNobodyRetainsIsDestroyed() {
    one.driver.set(Knob.DEVICES, 3);
    TestGpu second = new TestGpu(2); // nobody else in this process uses it
    ok(JCudaDriver.cuCtxSynchronize());
    second.close();
    second.makeCurrent();
    assertThat(JCudaDriver.cuCtxSynchronize()).isEqualTo(CUDA_ERROR_CONTEXT_IS_DESTROYED);
    one.gpu.makeCurrent();
  }
}
