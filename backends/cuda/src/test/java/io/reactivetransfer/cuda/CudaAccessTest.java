package io.reactivetransfer.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivetransfer.Device;
import io.reactivetransfer.DeviceMemory;
import io.reactivetransfer.cuda.ffi.Cu;
import io.reactivetransfer.spi.Availability;
import io.reactivetransfer.spi.BackendException;
import io.reactivetransfer.spi.DeviceAccess;
import io.reactivetransfer.spi.DeviceAccess.DmaBuf;
import io.reactivetransfer.spi.DeviceWay;
import io.reactivetransfer.spi.Devices;
import io.reactivetransfer.spi.StagingBuffer;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CudaAccessTest {

  private static final int ILLEGAL_ADDRESS = 700;
  private static final int LAUNCH_FAILED = 719;

  @RegisterExtension private final Gpus gpus = new Gpus();

  private final DeviceAccess access = new CudaAccess();

  @Test
  void isFoundByEngines() {
    assertThat(access.availability()).isInstanceOf(Availability.Available.class);
    assertThat(Devices.find().all()).contains(Gpus.FIRST, Gpus.SECOND);
    assertThat(access.describe(Gpus.SECOND)).contains("PCI").contains("CUDA 1");
    assertThat(access.describe(Device.of("cuda", 77))).contains("cuda:77");
  }

  @Test
  void saysWhichGpusThereAre() {
    assertThat(gpus.driver().calls()).isNotNull();
    assertThat(access.devices()).containsExactly(Gpus.FIRST, Gpus.SECOND);
    assertThat(access.describe(Gpus.SECOND)).contains("CUDA 12.6");
  }

  @Test
  void saysWhereEachGpuIs() {
    assertThat(gpus.driver().calls()).isNotNull();
    assertThat(access.pciAddress(Gpus.FIRST)).isEqualTo("0000:10:00.0");
    assertThat(access.pciAddress(Gpus.SECOND)).isEqualTo("0000:11:00.0");
    assertThat(access.pciAddress(Device.of("cuda", 77))).isNull();
    gpus.driver().fault("cuDeviceGetPCIBusId", 1, LAUNCH_FAILED);
    assertThat(access.pciAddress(Gpus.FIRST)).isNull();
  }

  @Test
  void saysInWhichWaysNicsMayBeGivenEachGpu() {
    assertThat(access.waysForNics(Gpus.FIRST)).contains(DeviceWay.DMA_BUF);
    gpus.driver().attribute(Cu.CU_DEVICE_ATTRIBUTE_DMA_BUF_SUPPORTED, 0);
    assertThat(access.waysForNics(Gpus.FIRST)).doesNotContain(DeviceWay.DMA_BUF);
    assertThat(access.waysForNics(Device.of("cuda", 77))).isEmpty();
  }

  /** Around the halves of a lane: none, one, and several that are used again. */
  @ParameterizedTest
  @ValueSource(
      ints = {
        0,
        1,
        4_097,
        CopyLane.HALF - 1,
        CopyLane.HALF,
        CopyLane.HALF + 1,
        2 * CopyLane.HALF,
        5 * CopyLane.HALF + 3
      })
  void copiesWhatIsWithinTheRangeAndNothingElse(int length) {
    gpus.delay(200);
    byte[] bytes = Gpus.noise(length);
    byte[] around = Gpus.noise(length + 20);
    try (CudaMemory memory = CudaMemory.allocate(Gpus.SECOND, length + 20);
        Arena arena = Arena.ofConfined()) {
      MemorySegment before = arena.allocateFrom(ValueLayout.JAVA_BYTE, around);
      access.copyFromHost(before, 0, memory.memory(), 0, around.length);
      MemorySegment source = arena.allocate(length + 3);
      MemorySegment.copy(bytes, 0, source, ValueLayout.JAVA_BYTE, 3, length);
      access.copyFromHost(source, 3, memory.memory(), 7, length);
      MemorySegment all = arena.allocate(around.length + 5);
      access.copyToHost(memory.memory(), 0, all, 5, around.length);
      System.arraycopy(bytes, 0, around, 7, length);
      assertThat(all.asSlice(5).toArray(ValueLayout.JAVA_BYTE)).isEqualTo(around);
      assertThat(all.asSlice(0, 5).toArray(ValueLayout.JAVA_BYTE)).containsOnly(0);
    }
  }

  /** Around the halves of a lane as well, through which these copies do not go. */
  @ParameterizedTest
  @ValueSource(
      ints = {
        0,
        1,
        4_097,
        CopyLane.HALF - 1,
        CopyLane.HALF,
        CopyLane.HALF + 1,
        5 * CopyLane.HALF + 3
      })
  void copiesFromGpuToGpuWhatIsWithinTheRangeAndNothingElse(int length) {
    for (Device from : List.of(Gpus.FIRST, Gpus.SECOND)) {
      for (Device to : List.of(Gpus.FIRST, Gpus.SECOND)) {
        gpus.delay(200);
        byte[] bytes = Gpus.noise(length + 5);
        byte[] around = Gpus.noise(length + 20);
        try (CudaMemory source = CudaMemory.allocate(from, bytes.length);
            CudaMemory target = CudaMemory.allocate(to, around.length)) {
          put(bytes, source.memory());
          put(around, target.memory());
          access.copy(source.memory(), 3, target.memory(), 7, length);
          System.arraycopy(bytes, 3, around, 7, length);
          assertThat(get(target.memory())).as("bytes from %s to %s", from, to).isEqualTo(around);
          assertThat(get(source.memory())).as("source of %s to %s", from, to).isEqualTo(bytes);
        }
      }
    }
  }

  @Test
  void copiesFromOnePlaceToAnotherOfTheSameMemory() {
    byte[] bytes = Gpus.noise(100_000);
    try (CudaMemory memory = CudaMemory.allocate(Gpus.FIRST, bytes.length)) {
      put(bytes, memory.memory());
      access.copy(memory.memory(), 1, memory.memory(), 50_000, 49_999);
      System.arraycopy(bytes, 1, bytes, 50_000, 49_999);
      assertThat(get(memory.memory())).isEqualTo(bytes);
    }
  }

  /** Engines find one each, and what each of two has registered is copied without the host. */
  @Test
  void anyTwoAreOneForEngines() {
    assertThat(access).isEqualTo(new CudaAccess()).hasSameHashCodeAs(new CudaAccess());
    assertThat(access).isNotEqualTo("cuda");
  }

  private void put(byte[] bytes, DeviceMemory memory) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment host = arena.allocateFrom(ValueLayout.JAVA_BYTE, bytes);
      access.copyFromHost(host, 0, memory, 0, bytes.length);
    }
  }

  private byte[] get(DeviceMemory memory) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment host = arena.allocate(memory.length());
      access.copyToHost(memory, 0, host, 0, memory.length());
      return host.toArray(ValueLayout.JAVA_BYTE);
    }
  }

  @Test
  void readsAWord() {
    try (CudaMemory memory = CudaMemory.allocate(Gpus.FIRST, 32);
        Arena arena = Arena.ofConfined()) {
      MemorySegment word = arena.allocateFrom(ValueLayout.JAVA_LONG, 0x0102_0304_0506_0708L);
      access.copyFromHost(word, 0, memory.memory(), 16, Long.BYTES);
      assertThat(access.peek(memory.memory(), 16)).isEqualTo(0x0102_0304_0506_0708L);
    }
  }

  @Test
  void refusesByTheDriversNameOfTheError() {
    DeviceMemory gone;
    try (CudaMemory memory = CudaMemory.allocate(Gpus.FIRST, 100)) {
      gone = memory.memory();
    }
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment host = arena.allocate(100);
      assertThatThrownBy(() -> access.copyToHost(gone, 0, host, 0, 100))
          .isInstanceOfSatisfying(BackendException.class, e -> assertThat(e.code()).isNotZero())
          .hasMessageContaining("CUDA_ERROR_");
    }
    try (CudaMemory memory = CudaMemory.allocate(Gpus.SECOND, 100)) {
      DeviceMemory there = memory.memory();
      for (ThrowingCallable copy :
          List.<ThrowingCallable>of(
              () -> access.copy(gone, 0, there, 0, 100),
              () -> access.copy(there, 0, gone, 0, 100),
              () -> access.copy(gone, 0, gone, 50, 50))) {
        assertThatThrownBy(copy)
            .isInstanceOfSatisfying(BackendException.class, e -> assertThat(e.code()).isNotZero())
            .hasMessageContaining("CUDA_ERROR_");
      }
    }
  }

  @Test
  void anErrorThatStaysEndsWhatUsesThatGpuAndNothingElse() {
    try (CudaMemory broken = CudaMemory.allocate(Gpus.FIRST, 100);
        CudaMemory whole = CudaMemory.allocate(Gpus.SECOND, 100);
        Arena arena = Arena.ofConfined()) {
      MemorySegment host = arena.allocate(100);
      gpus.driver().fault("op.copy", 1, ILLEGAL_ADDRESS);
      for (int i = 0; i < 3; i++) {
        assertThatThrownBy(() -> access.copyToHost(broken.memory(), 0, host, 0, 100))
            .isInstanceOf(BackendException.class)
            .hasMessageContaining("CUDA_ERROR_ILLEGAL_ADDRESS");
        access.copyToHost(whole.memory(), 0, host, 0, 100);
      }
      gpus.driver().reset();
      access.copyToHost(broken.memory(), 0, host, 0, 100);
    }
  }

  /** Until a copy needs fewer calls than that; each that fails is told, and the next one works. */
  @Test
  void whicheverCallFailsTheNextCopyWorks() {
    byte[] bytes = Gpus.noise(2 * CopyLane.HALF + 1);
    try (CudaMemory memory = CudaMemory.allocate(Gpus.FIRST, bytes.length);
        Arena arena = Arena.ofConfined()) {
      MemorySegment host = arena.allocateFrom(ValueLayout.JAVA_BYTE, bytes);
      MemorySegment back = arena.allocate(bytes.length);
      int failed = 0;
      for (int n = 1; isRefused(n, memory.memory(), host, back); n++) {
        failed = n;
        access.copyFromHost(host, 0, memory.memory(), 0, bytes.length);
        access.copyToHost(memory.memory(), 0, back.fill((byte) 0), 0, bytes.length);
        assertThat(back.mismatch(host)).as("bytes after call %s has failed", n).isEqualTo(-1);
      }
      assertThat(failed).as("calls of a copy there and back").isGreaterThan(10);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1})
  void whicheverCallFailsTheNextCopyToAGpuWorks(int to) {
    gpus.driver().reset();
    byte[] bytes = Gpus.noise(1_000);
    try (CudaMemory source = CudaMemory.allocate(Gpus.FIRST, bytes.length);
        CudaMemory target = CudaMemory.allocate(Device.of("cuda", to), bytes.length)) {
      put(bytes, source.memory());
      int failed = 0;
      for (int n = 1; isRefused(n, () -> copyAll(source, target)); n++) {
        failed = n;
        put(new byte[bytes.length], target.memory());
        copyAll(source, target);
        assertThat(get(target.memory())).as("bytes after call %s has failed", n).isEqualTo(bytes);
      }
      assertThat(failed).as("enter, twice copy, mark and wait, and leave").isGreaterThan(9);
    }
  }

  private void copyAll(CudaMemory source, CudaMemory target) {
    access.copy(source.memory(), 0, target.memory(), 0, source.memory().length());
  }

  /** A stream that does not get quiet may be copying yet: what it has is not used again. */
  @Test
  void aBufferThatDoesNotGetQuietIsNotUsedAgain() {
    byte[] bytes = Gpus.noise(1_000);
    try (CudaMemory source = CudaMemory.allocate(Gpus.FIRST, bytes.length);
        CudaMemory target = CudaMemory.allocate(Gpus.FIRST, bytes.length)) {
      put(bytes, source.memory());
      copyAll(source, target);
      gpus.driver().reset();
      takeWhatOtherTestsHaveLeft();
      gpus.driver().fault("cuEventSynchronize", 1, LAUNCH_FAILED);
      gpus.driver().fault("cuStreamSynchronize", 1, LAUNCH_FAILED);
      gpus.driver().fault("cuStreamSynchronize", 2, LAUNCH_FAILED);
      assertThatThrownBy(() -> copyAll(source, target))
          .isInstanceOf(BackendException.class)
          .hasMessageContaining("CUDA_ERROR_LAUNCH_FAILED");
      gpus.driver().reset();
      put(new byte[bytes.length], target.memory());
      assertThat(gpus.driver().calls("cuMemHostRegister"))
          .as("buffers instead of that one, and not of the other half of its lane")
          .isOne();
      copyAll(source, target);
      assertThat(get(target.memory())).isEqualTo(bytes);
    }
  }

  @Test
  void whatHasGotQuietIsUsedAgainThoughItsCopyHasFailed() {
    try (CudaMemory memory = CudaMemory.allocate(Gpus.FIRST, 2L * CopyLane.HALF)) {
      gpus.driver().reset();
      takeWhatOtherTestsHaveLeft();
      put(Gpus.noise(2 * CopyLane.HALF), memory.memory());
      gpus.driver().fault("cuEventSynchronize", 1, LAUNCH_FAILED);
      gpus.driver().fault("cuEventSynchronize", 2, LAUNCH_FAILED);
      assertThatThrownBy(() -> get(memory.memory())).isInstanceOf(BackendException.class);
      gpus.driver().reset();
      assertThat(get(memory.memory())).isEqualTo(Gpus.noise(2 * CopyLane.HALF));
      assertThat(gpus.driver().calls("cuMemHostRegister")).as("other buffers").isZero();
    }
  }

  /** Lanes and buffers that nobody uses; the last one taken is a new one. */
  private void takeWhatOtherTestsHaveLeft() {
    Gpu gpu = CudaDriver.here().gpu(Gpus.FIRST);
    while (gpus.driver().calls("cuMemHostRegister") == 0) {
      CopyLane _ = gpu.within(() -> gpu.lanes().take());
    }
  }

  /** Whoever has waited may free the memory, so the end of a wait is the end of the copy. */
  @Test
  void aWaitForABufferEndsWithTheCopyThoughTheGpuIsNotEnteredAtOnce() {
    byte[] bytes = Gpus.noise(100_000);
    try (CudaMemory memory = CudaMemory.allocate(Gpus.FIRST, bytes.length);
        StagingBuffer buffer = access.stagingBuffer(Gpus.FIRST, bytes.length)) {
      put(new byte[bytes.length], memory.memory());
      buffer.memory().copyFrom(MemorySegment.ofArray(bytes));
      gpus.delay(200_000);
      buffer.store(0, memory.memory(), 0, bytes.length);
      gpus.driver().fault("cuCtxPushCurrent", 1, LAUNCH_FAILED);
      try {
        buffer.await();
      } catch (BackendException e) {
        assertThat(e).hasMessageContaining("CUDA_ERROR_LAUNCH_FAILED");
      }
      assertThat(bytesNow(memory.memory())).isEqualTo(bytes);
    }
  }

  /** Past all streams, which the driver would wait for. */
  @SuppressWarnings("restricted")
  private byte[] bytesNow(DeviceMemory memory) {
    return MemorySegment.ofAddress(gpus.driver().bytes(memory.address()))
        .reinterpret(memory.length())
        .toArray(ValueLayout.JAVA_BYTE);
  }

  private boolean isRefused(int n, DeviceMemory memory, MemorySegment host, MemorySegment back) {
    return isRefused(
        n,
        () -> {
          access.copyFromHost(host, 0, memory, 0, host.byteSize());
          access.copyToHost(memory, 0, back, 0, host.byteSize());
        });
  }

  private boolean isRefused(int n, Runnable copies) {
    gpus.driver().reset();
    gpus.driver().failCall(n, LAUNCH_FAILED);
    boolean refused = false;
    try {
      copies.run();
    } catch (BackendException e) {
      assertThat(e).hasMessageContaining("CUDA_ERROR_LAUNCH_FAILED");
      refused = true;
    }
    boolean wasLeaving = !refused && gpus.driver().calls().size() >= n;
    gpus.driver().reset();
    return refused || wasLeaving;
  }

  @Test
  void exportsADmaBufOnce() {
    try (CudaMemory memory = CudaMemory.allocate(Gpus.FIRST, 10_000)) {
      DmaBuf exported = access.exportDmaBuf(memory.memory().slice(100, 5_000));
      assertThat(exported.offset()).isEqualTo(100);
      Path open = Path.of("/proc/self/fd", Integer.toString(exported.descriptor()));
      assertThat(Files.exists(open)).isTrue();
      exported.close();
      exported.close();
      assertThat(Files.exists(open)).isFalse();
    }
  }

  @Test
  void saysWhatToDoWhereNothingIsExported() {
    gpus.driver().attribute(Cu.CU_DEVICE_ATTRIBUTE_DMA_BUF_SUPPORTED, 0);
    try (CudaMemory memory = CudaMemory.allocate(Gpus.SECOND, 10_000)) {
      assertThatThrownBy(() -> access.exportDmaBuf(memory.memory()))
          .isInstanceOfSatisfying(BackendException.class, e -> assertThat(e.code()).isEqualTo(801))
          .hasMessageContainingAll(
              "cuda:1", "CUDA_ERROR_NOT_SUPPORTED", "open kernel modules", "such as tcp");
    }
  }

  @Test
  void flushesOnlyWhereTheGpuDoesNotSeeWritesInOrder() {
    gpus.driver().attribute(Cu.CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_WRITES_ORDERING, 0);
    Gpu unordered = new Gpu(CudaDriver.here().calls(), 0);
    unordered.flush();
    unordered.flush();
    assertThat(gpus.driver().calls("cuFlushGPUDirectRDMAWrites")).isEqualTo(2);
    gpus.driver().attribute(Cu.CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_WRITES_ORDERING, 100);
    Gpu ordered = new Gpu(CudaDriver.here().calls(), 0);
    ordered.flush();
    assertThat(gpus.driver().calls("cuFlushGPUDirectRDMAWrites")).isEqualTo(2);
  }
}
