package io.reactivetransfer.cuda.fake;

import static io.reactivetransfer.cuda.fake.TestGpu.host;
import static io.reactivetransfer.cuda.fake.TestGpu.ok;
import static jcuda.driver.CUresult.CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
import static jcuda.driver.CUresult.CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
import static jcuda.driver.CUresult.CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
import static jcuda.driver.CUresult.CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD;
import static jcuda.driver.CUstreamCaptureMode.CU_STREAM_CAPTURE_MODE_GLOBAL;
import static jcuda.driver.CUstreamCaptureMode.CU_STREAM_CAPTURE_MODE_RELAXED;
import static jcuda.driver.CUstreamCaptureMode.CU_STREAM_CAPTURE_MODE_THREAD_LOCAL;
import static jcuda.driver.CUstreamCaptureStatus.CU_STREAM_CAPTURE_STATUS_ACTIVE;
import static jcuda.driver.CUstreamCaptureStatus.CU_STREAM_CAPTURE_STATUS_INVALIDATED;
import static jcuda.driver.CUstreamCaptureStatus.CU_STREAM_CAPTURE_STATUS_NONE;
import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.cuda.fake.TestGpu.DevicePointer;
import java.lang.foreign.Arena;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntSupplier;
import jcuda.driver.CUgraph;
import jcuda.driver.CUstream;
import jcuda.driver.CUstream_flags;
import jcuda.driver.JCudaDriver;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What calls that are no part of a graph do to the capture of one. */
class FakeDriverCaptureTest {

  private static final int GLOBAL = CU_STREAM_CAPTURE_MODE_GLOBAL;
  private static final int LENGTH = 64;

  @RegisterExtension private final OneGpu one = new OneGpu();

  private final CUgraph graph = new CUgraph();
  private CUstream stream;
  private DevicePointer memory;

  @BeforeEach
  void open() {
    exchange(GLOBAL);
    stream = TestGpu.stream();
    memory = one.gpu.allocate(LENGTH);
  }

  @AfterEach
  void close() {
    exchange(GLOBAL);
    ok(JCudaDriver.cuMemFree(memory));
    ok(JCudaDriver.cuStreamDestroy(stream));
  }

  private static int exchange(int mode) {
    int[] word = {mode};
    ok(JCudaDriver.cuThreadExchangeStreamCaptureMode(word));
    return word[0];
  }

  private int status() {
    int[] status = new int[1];
    ok(JCudaDriver.cuStreamIsCapturing(stream, status));
    return status[0];
  }

  private int end() {
    int result = JCudaDriver.cuStreamEndCapture(stream, graph);
    return result == 0 ? JCudaDriver.cuGraphDestroy(graph) : result;
  }

  private static int allocateAndFree() {
    DevicePointer some = new DevicePointer();
    int result = JCudaDriver.cuMemAlloc(some, LENGTH);
    return result == 0 ? JCudaDriver.cuMemFree(some) : result;
  }

  private int onAnotherThread(IntSupplier calls) {
    return CompletableFuture.supplyAsync(
            () -> {
              one.gpu.makeCurrent();
              return calls.getAsInt();
            },
            task -> Thread.ofPlatform().start(task))
        .join();
  }

  /** By the capture's mode, the calling thread's, and whether that is the one that captures. */
  @ParameterizedTest
  @CsvSource({
    "0, 0, true, 900",
    "0, 0, false, 900",
    "0, 1, true, 900",
    "0, 1, false, 0",
    "0, 2, true, 0",
    "0, 2, false, 0",
    "1, 0, true, 900",
    "1, 0, false, 0",
    "1, 1, true, 900",
    "1, 2, true, 0",
    "2, 0, true, 0",
    "2, 0, false, 0",
    "2, 1, true, 0",
  })
  void anAllocationIsRefusedAsTheModesSay(int capture, int thread, boolean isSame, int result) {
    ok(JCudaDriver.cuStreamBeginCapture(stream, capture));
    IntSupplier calls =
        () -> {
          exchange(thread);
          return allocateAndFree();
        };
    assertThat(isSame ? calls.getAsInt() : onAnotherThread(calls)).isEqualTo(result);
    assertThat(status())
        .isEqualTo(
            result == 0 ? CU_STREAM_CAPTURE_STATUS_ACTIVE : CU_STREAM_CAPTURE_STATUS_INVALIDATED);
    assertThat(end()).isEqualTo(result == 0 ? 0 : CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    assertThat(status()).isEqualTo(CU_STREAM_CAPTURE_STATUS_NONE);
    exchange(GLOBAL);
    ok(allocateAndFree());
  }

  @Test
  void anInvalidCaptureTakesNothingAnyMore() {
    ok(JCudaDriver.cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
    ok(JCudaDriver.cuMemsetD8Async(memory, (byte) 1, LENGTH, stream));
    assertThat(JCudaDriver.cuStreamSynchronize(stream))
        .isEqualTo(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    assertThat(JCudaDriver.cuMemsetD8Async(memory, (byte) 1, LENGTH, stream))
        .isEqualTo(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    assertThat(end()).isEqualTo(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  }

  @Test
  void whatIsPartOfOtherStreamsHarmsNoCapture() {
    CUstream other = TestGpu.stream();
    ok(JCudaDriver.cuStreamBeginCapture(stream, GLOBAL));
    ok(JCudaDriver.cuMemsetD8Async(memory, (byte) 1, LENGTH, other));
    assertThat(JCudaDriver.cuStreamQuery(other)).isIn(0, 600); // done, or not ready
    ok(end());
    ok(JCudaDriver.cuStreamSynchronize(other));
    ok(JCudaDriver.cuStreamDestroy(other));
  }

  /** As an H100 does, driver 580: also for streams that are not captured. */
  @Test
  void toWaitForAnotherStreamHarmsACapture() {
    CUstream other = TestGpu.stream();
    ok(JCudaDriver.cuStreamBeginCapture(stream, GLOBAL));
    assertThat(onAnotherThread(() -> JCudaDriver.cuStreamSynchronize(other)))
        .isEqualTo(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    assertThat(end()).isEqualTo(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    ok(JCudaDriver.cuStreamDestroy(other));
  }

  @Test
  void whatBeganOnAThreadEndsThere() {
    ok(JCudaDriver.cuStreamBeginCapture(stream, GLOBAL));
    assertThat(onAnotherThread(this::end)).isEqualTo(CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD);
    ok(end());
    ok(JCudaDriver.cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
    ok(onAnotherThread(this::end));
  }

  /** Whose default stream waits for it; what only asks whether it is captured changes nothing. */
  @Test
  void aStreamThatBlocksIsNotCapturedBesideTheDefaultOne() {
    CUstream blocking = new CUstream();
    ok(JCudaDriver.cuStreamCreate(blocking, CUstream_flags.CU_STREAM_DEFAULT));
    ok(JCudaDriver.cuStreamBeginCapture(blocking, CU_STREAM_CAPTURE_MODE_RELAXED));
    assertThat(JCudaDriver.cuStreamIsCapturing(new CUstream(), new int[1]))
        .isEqualTo(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
    ok(JCudaDriver.cuStreamEndCapture(blocking, graph));
    ok(JCudaDriver.cuGraphDestroy(graph));
    ok(JCudaDriver.cuStreamBeginCapture(blocking, CU_STREAM_CAPTURE_MODE_RELAXED));
    assertThat(JCudaDriver.cuMemsetD8Async(memory, (byte) 1, LENGTH, new CUstream()))
        .isEqualTo(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
    assertThat(JCudaDriver.cuStreamEndCapture(blocking, graph))
        .isEqualTo(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    ok(JCudaDriver.cuStreamDestroy(blocking));
  }

  @Test
  void pinningIsRefusedToo() {
    try (Arena arena = Arena.ofConfined()) {
      ok(JCudaDriver.cuStreamBeginCapture(stream, GLOBAL));
      assertThat(JCudaDriver.cuMemHostRegister(host(arena.allocate(LENGTH)), LENGTH, 0))
          .isEqualTo(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
      assertThat(end()).isEqualTo(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    }
  }
}
