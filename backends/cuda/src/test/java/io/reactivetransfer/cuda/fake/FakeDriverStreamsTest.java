package io.reactivetransfer.cuda.fake;

import static io.reactivetransfer.cuda.fake.TestGpu.host;
import static io.reactivetransfer.cuda.fake.TestGpu.ok;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static jcuda.driver.CUresult.CUDA_ERROR_NOT_READY;
import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.cuda.fake.TestGpu.DevicePointer;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import jcuda.driver.CUevent;
import jcuda.driver.CUgraph;
import jcuda.driver.CUgraphExec;
import jcuda.driver.CUstream;
import jcuda.driver.CUstreamCaptureMode;
import jcuda.driver.CUstreamWaitValue_flags;
import jcuda.driver.JCudaDriver;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What runs in a stream when, by delays that would show any other order. */
class FakeDriverStreamsTest {

  private static final int LENGTH = 1 << 16;
  private static final long DELAY_MICROS = 3000;

  @RegisterExtension private final OneGpu one = new OneGpu();

  private Arena arena;
  private CUstream stream;
  private CUstream other;
  private DevicePointer memory;
  private MemorySegment source;
  private MemorySegment target;

  @BeforeEach
  void open() {
    arena = Arena.ofShared();
    stream = TestGpu.stream();
    other = TestGpu.stream();
    memory = one.gpu.allocate(LENGTH);
    source = TestGpu.pinned(arena, LENGTH);
    target = TestGpu.pinned(arena, LENGTH);
  }

  @AfterEach
  void close() {
    ok(JCudaDriver.cuCtxSynchronize());
    ok(JCudaDriver.cuStreamDestroy(stream));
    ok(JCudaDriver.cuStreamDestroy(other));
    ok(JCudaDriver.cuMemFree(memory));
    TestGpu.unpin(source);
    TestGpu.unpin(target);
    arena.close();
  }

  private void copyThereAndBack() {
    ok(JCudaDriver.cuMemcpyHtoDAsync(memory, host(source), LENGTH, stream));
    ok(JCudaDriver.cuMemcpyDtoHAsync(host(target), memory, LENGTH, stream));
  }

  private static byte last(MemorySegment segment) {
    return segment.get(JAVA_BYTE, LENGTH - 1);
  }

  @Test
  void operationsOfAStreamRunInOrder() {
    one.driver.set(Knob.DELAY_US, DELAY_MICROS);
    for (byte i = 1; i < 10; i++) {
      source.fill(i);
      copyThereAndBack();
      ok(JCudaDriver.cuStreamSynchronize(stream));
      assertThat(target.mismatch(source)).isEqualTo(-1);
    }
  }

  @Test
  void aPinnedSourceIsReadWhenTheCopyRuns() {
    one.driver.set(Knob.DELAY_US, DELAY_MICROS);
    int changed = 0;
    for (int i = 0; i < 10; i++) {
      source.fill((byte) 1);
      copyThereAndBack();
      source.fill((byte) 2);
      ok(JCudaDriver.cuStreamSynchronize(stream));
      changed += last(target) == 2 ? 1 : 0;
    }
    assertThat(changed).isPositive();
  }

  @Test
  void aPageableSourceIsReadAtTheCall() {
    one.driver.set(Knob.DELAY_US, DELAY_MICROS);
    MemorySegment pageable = arena.allocate(LENGTH).fill((byte) 1);
    ok(JCudaDriver.cuMemcpyHtoDAsync(memory, host(pageable), LENGTH, stream));
    pageable.fill((byte) 2);
    ok(JCudaDriver.cuMemcpyDtoHAsync(host(pageable), memory, LENGTH, stream));
    assertThat(last(pageable)).as("there already").isEqualTo((byte) 1);
  }

  @Test
  void streamsThatNothingOrdersOvertakeEachOther() {
    one.driver.set(Knob.DELAY_US, DELAY_MICROS);
    int stale = 0;
    for (int i = 1;
        stale == 0 && i <= 2_000;
        i++) { // half of the times, and less where all is slow
      ok(JCudaDriver.cuMemsetD8Async(memory, (byte) i, LENGTH, stream));
      ok(JCudaDriver.cuMemcpyDtoHAsync(host(target), memory, LENGTH, other));
      ok(JCudaDriver.cuCtxSynchronize());
      stale += last(target) == (byte) i ? 0 : 1;
    }
    assertThat(stale).isPositive();
  }

  @Test
  void anEventOrdersTwoStreams() {
    one.driver.set(Knob.DELAY_US, DELAY_MICROS);
    CUevent event = new CUevent();
    ok(JCudaDriver.cuEventCreate(event, 0));
    for (int i = 1; i <= 10; i++) {
      ok(JCudaDriver.cuMemsetD8Async(memory, (byte) i, LENGTH, stream));
      ok(JCudaDriver.cuEventRecord(event, stream));
      ok(JCudaDriver.cuStreamWaitEvent(other, event, 0));
      ok(JCudaDriver.cuMemcpyDtoHAsync(host(target), memory, LENGTH, other));
      ok(JCudaDriver.cuEventSynchronize(event));
      ok(JCudaDriver.cuEventQuery(event));
      ok(JCudaDriver.cuStreamSynchronize(other));
      assertThat(last(target)).isEqualTo((byte) i);
    }
    ok(JCudaDriver.cuEventDestroy(event));
  }

  @Test
  void aStreamWaitsForAWordOfTheHostAndWritesOne() {
    DevicePointer words = TestGpu.deviceAddressOf(target);
    assertThat(words.address()).as("an alias").isNotEqualTo(target.address());
    ok(
        JCudaDriver.cuStreamWaitValue64(
            stream, words, 5, CUstreamWaitValue_flags.CU_STREAM_WAIT_VALUE_GEQ));
    ok(JCudaDriver.cuStreamWriteValue64(stream, words.at(8), 1L << 40, 0));
    target.set(JAVA_LONG, 0, 4);
    assertThat(JCudaDriver.cuStreamQuery(stream)).isEqualTo(CUDA_ERROR_NOT_READY);
    target.set(JAVA_LONG, 0, 6);
    Awaitility.await().until(() -> target.get(JAVA_LONG, 8) == 1L << 40);
    ok(JCudaDriver.cuStreamSynchronize(stream));
    ok(JCudaDriver.cuStreamQuery(stream));
  }

  @Test
  void aCapturedWordIsWrittenByEachLaunch() {
    DevicePointer words = TestGpu.deviceAddressOf(target);
    CUgraph graph = new CUgraph();
    CUgraphExec exec = new CUgraphExec();
    ok(
        JCudaDriver.cuStreamBeginCapture(
            stream, CUstreamCaptureMode.CU_STREAM_CAPTURE_MODE_RELAXED));
    ok(JCudaDriver.cuStreamWriteValue64(stream, words, 7, 0));
    ok(JCudaDriver.cuStreamEndCapture(stream, graph));
    ok(JCudaDriver.cuGraphInstantiate(exec, graph, 0));
    ok(JCudaDriver.cuGraphDestroy(graph));
    ok(JCudaDriver.cuStreamSynchronize(stream));
    for (int i = 0; i < 3; i++) {
      assertThat(target.get(JAVA_LONG, 0)).isZero();
      ok(JCudaDriver.cuGraphLaunch(exec, other));
      ok(JCudaDriver.cuStreamSynchronize(other));
      assertThat(target.get(JAVA_LONG, 0)).isEqualTo(7);
      target.set(JAVA_LONG, 0, 0);
    }
    ok(JCudaDriver.cuGraphExecDestroy(exec));
  }

  @Test
  void theHostIsCalledInItsTurn() {
    one.driver.set(Knob.DELAY_US, DELAY_MICROS);
    ok(JCudaDriver.cuMemsetD8Async(memory, (byte) 3, LENGTH, stream));
    ok(JCudaDriver.cuMemcpyDtoHAsync(host(target), memory, LENGTH, stream));
    byte[] seen = new byte[1];
    ok(JCudaDriver.cuLaunchHostFunc(stream, _ -> seen[0] = last(target), null));
    ok(JCudaDriver.cuStreamSynchronize(stream));
    assertThat(seen[0]).isEqualTo((byte) 3);
  }
}
