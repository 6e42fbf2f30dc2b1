package io.reactivetransfer.cuda.fake;

import static io.reactivetransfer.cuda.fake.TestGpu.host;
import static io.reactivetransfer.cuda.fake.TestGpu.ok;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static jcuda.driver.CUresult.CUDA_ERROR_ILLEGAL_ADDRESS;
import static jcuda.driver.CUresult.CUDA_ERROR_INVALID_HANDLE;
import static jcuda.driver.CUresult.CUDA_ERROR_INVALID_VALUE;
import static jcuda.driver.CUresult.CUDA_ERROR_LAUNCH_TIMEOUT;
import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.cuda.fake.TestGpu.DevicePointer;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import jcuda.driver.CUdeviceptr;
import jcuda.driver.CUstream;
import jcuda.driver.CUstreamWaitValue_flags;
import jcuda.driver.JCudaDriver;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What is used wrongly, and what becomes of the device. */
class FakeDriverErrorsTest {

  private static final long PATIENCE_MILLIS = 60_000;

  @RegisterExtension private final OneGpu one = new OneGpu();

  @Test
  void anErrorOfAStreamEndsItsDeviceAndNoOther() {
    one.driver.set(Knob.DEVICES, 2);
    try (TestGpu second = new TestGpu(1)) {
      one.driver.fault("op.set", 1, CUDA_ERROR_ILLEGAL_ADDRESS);
      DevicePointer memory = second.allocate(64);
      CUstream stream = TestGpu.stream();
      ok(JCudaDriver.cuMemsetD8Async(memory, (byte) 1, 64, stream));
      assertThat(JCudaDriver.cuStreamSynchronize(stream)).isEqualTo(CUDA_ERROR_ILLEGAL_ADDRESS);
      assertThat(JCudaDriver.cuStreamQuery(stream)).isEqualTo(CUDA_ERROR_ILLEGAL_ADDRESS);
      assertThat(JCudaDriver.cuMemFree(memory)).isEqualTo(CUDA_ERROR_ILLEGAL_ADDRESS);

      one.gpu.makeCurrent();
      assertThat(JCudaDriver.cuMemFree(memory)).isEqualTo(CUDA_ERROR_ILLEGAL_ADDRESS);
      DevicePointer sound = one.gpu.allocate(64);
      ok(JCudaDriver.cuMemsetD8(sound, (byte) 2, 64));
      assertThat(TestGpu.read(sound, 64)).containsOnly((byte) 2);
      ok(JCudaDriver.cuMemFree(sound));

      one.driver.reset();
      one.driver.set(Knob.DEVICES, 2);
      ok(JCudaDriver.cuMemFree(memory));
      ok(JCudaDriver.cuStreamDestroy(stream));
    }
    one.gpu.makeCurrent();
  }

  @Test
  void devicesCopyToEachOther() {
    one.driver.set(Knob.DEVICES, 2);
    DevicePointer here = one.gpu.allocate(64);
    try (TestGpu second = new TestGpu(1)) {
      DevicePointer there = second.allocate(64);
      ok(JCudaDriver.cuMemsetD8(there, (byte) 9, 64));
      ok(JCudaDriver.cuMemcpyDtoD(here, there, 64));
      ok(JCudaDriver.cuMemFree(there));
      assertThat(TestGpu.read(here, 64)).containsOnly((byte) 9);
    }
    one.gpu.makeCurrent();
    ok(JCudaDriver.cuMemFree(here));
  }

  @Test
  void memoryThatWasFreedIsNoneAnyMore() {
    DevicePointer memory = one.gpu.allocate(64);
    ok(JCudaDriver.cuMemFree(memory));
    assertThat(JCudaDriver.cuMemFree(memory)).isEqualTo(CUDA_ERROR_INVALID_VALUE);
    assertThat(JCudaDriver.cuMemsetD8(memory, (byte) 1, 64)).isEqualTo(CUDA_ERROR_INVALID_VALUE);
    DevicePointer next = one.gpu.allocate(64);
    assertThat(next.address()).isNotEqualTo(memory.address());
    assertThat(JCudaDriver.cuMemsetD8(next, (byte) 1, 65)).isEqualTo(CUDA_ERROR_INVALID_VALUE);
    ok(JCudaDriver.cuMemFree(next));
  }

  @Test
  void whoWaitsTooLongForAStreamGivesUp() {
    one.driver.set(Knob.HANG_MS, 100);
    CUstream stream = TestGpu.stream();
    try (Arena arena = Arena.ofShared()) {
      MemorySegment word = TestGpu.pinned(arena, 4);
      waitForOne(stream, word);
      assertThat(JCudaDriver.cuMemHostUnregister(host(word))).isEqualTo(CUDA_ERROR_LAUNCH_TIMEOUT);
      assertThat(JCudaDriver.cuStreamSynchronize(stream)).isEqualTo(CUDA_ERROR_LAUNCH_TIMEOUT);
      one.driver.set(Knob.HANG_MS, PATIENCE_MILLIS);
      word.set(JAVA_INT, 0, 1);
      ok(JCudaDriver.cuStreamSynchronize(stream));
      TestGpu.unpin(word);
    }
    ok(JCudaDriver.cuStreamDestroy(stream));
  }

  private static void waitForOne(CUstream stream, MemorySegment word) {
    CUdeviceptr pointer = TestGpu.deviceAddressOf(word);
    ok(
        JCudaDriver.cuStreamWaitValue32(
            stream, pointer, 1, CUstreamWaitValue_flags.CU_STREAM_WAIT_VALUE_EQ));
  }

  @Test
  void whoFreesHoldsUpThoseWhoSubmit() throws Exception {
    one.driver.set(Knob.HANG_MS, PATIENCE_MILLIS);
    CUstream waiting = TestGpu.stream();
    CUstream other = TestGpu.stream();
    DevicePointer memory = one.gpu.allocate(64);
    DevicePointer freed = one.gpu.allocate(64);
    try (Arena arena = Arena.ofShared()) {
      MemorySegment word = TestGpu.pinned(arena, 4);
      waitForOne(waiting, word);
      CompletableFuture<Integer> free = run(() -> JCudaDriver.cuMemFree(freed));
      CompletableFuture<Integer> submit;
      do { // until the other thread has got to where it waits
        submit = run(() -> JCudaDriver.cuMemsetD8Async(memory, (byte) 1, 64, other));
      } while (isDoneSoon(submit));
      assertThat(free).isNotDone();
      word.set(JAVA_INT, 0, 1);
      assertThat(free.get()).isZero();
      assertThat(submit.get()).isZero();
      TestGpu.unpin(word);
    }
    ok(JCudaDriver.cuMemFree(memory));
    ok(JCudaDriver.cuStreamDestroy(waiting));
    ok(JCudaDriver.cuStreamDestroy(other));
  }

  private static boolean isDoneSoon(CompletableFuture<Integer> result) throws Exception {
    try {
      result.get(50, TimeUnit.MILLISECONDS);
      return true;
    } catch (TimeoutException e) {
      return false;
    }
  }

  private interface Call {
    int call();
  }

  private CompletableFuture<Integer> run(Call call) {
    CompletableFuture<Integer> result = new CompletableFuture<>();
    Thread.ofPlatform()
        .start(() -> {
          one.gpu.makeCurrent();
          result.complete(call.call());
        });
    return result;
  }

  @Test
  void aStreamThatWasDestroyedIsNone() {
    CUstream stream = TestGpu.stream();
    ok(JCudaDriver.cuStreamDestroy(stream));
    assertThat(JCudaDriver.cuStreamQuery(stream)).isEqualTo(CUDA_ERROR_INVALID_HANDLE);
    assertThat(JCudaDriver.cuStreamDestroy(stream)).isEqualTo(CUDA_ERROR_INVALID_HANDLE);
  }

  @Test
  void aResetEndsWhatStreamsWaitFor() {
    CUstream stream = TestGpu.stream();
    DevicePointer word = one.gpu.allocate(8);
    ok(JCudaDriver.cuStreamWaitValue32(stream, word, 1, 1));
    one.driver.reset();
    ok(JCudaDriver.cuStreamSynchronize(stream));
    ok(JCudaDriver.cuStreamDestroy(stream));
    ok(JCudaDriver.cuMemFree(word));
  }
}
