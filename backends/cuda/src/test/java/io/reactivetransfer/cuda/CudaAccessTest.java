package io.reactivetransfer.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivetransfer.Device;
import io.reactivetransfer.DeviceMemory;
import io.reactivetransfer.cuda.fake.Knob;
import io.reactivetransfer.cuda.ffi.Cu;
import io.reactivetransfer.spi.Availability;
import io.reactivetransfer.spi.BackendException;
import io.reactivetransfer.spi.DeviceAccess;
import io.reactivetransfer.spi.DeviceAccess.DmaBuf;
import io.reactivetransfer.spi.Devices;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
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
    assertThat(access.devices()).containsExactly(Gpus.FIRST, Gpus.SECOND);
    assertThat(access.describe(Gpus.SECOND)).contains("PCI").contains("CUDA 12.6");
    assertThat(access.describe(Device.of("cuda", 7))).contains("cuda:7");
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
    gpus.driver().set(Knob.DELAY_US, 200);
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

  private boolean isRefused(int n, DeviceMemory memory, MemorySegment host, MemorySegment back) {
    gpus.driver().reset();
    gpus.driver().failCall(n, LAUNCH_FAILED);
    boolean refused = false;
    try {
      access.copyFromHost(host, 0, memory, 0, host.byteSize());
      access.copyToHost(memory, 0, back, 0, host.byteSize());
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
