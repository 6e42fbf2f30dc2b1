package io.reactivetransfer.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.reactivetransfer.Access;
import io.reactivetransfer.HostMemory;
import io.reactivetransfer.ImmLease;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.TransferFailedException;
import io.reactivetransfer.WriteImm;
import io.reactivetransfer.spi.BackendException;
import io.reactivetransfer.spi.StagingBuffer;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;

/**
 * A driver that refuses to wait for a copy: unless the context has ended with it, the GPU may write
 * yet, and whoever asks is told so.
 */
class UnknownEndTest {

  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final int LAUNCH_FAILED = 719;
  private static final int UNKNOWN = 999;
  private static final int LENGTH = 300_000;

  @RegisterExtension private final Gpus gpus = new Gpus();

  private final CudaAccess access = new CudaAccess();

  /** Each wait is refused from now on. */
  private void refuseToWait(int result) {
    gpus.driver().fault("cuEventSynchronize", 0, result);
    gpus.driver().fault("cuStreamSynchronize", 0, result);
  }

  @ParameterizedTest
  @CsvSource({"999, false", "719, true"})
  void aCopyWithoutABufferSaysWhetherItIsOver(int result, boolean isOver) {
    MemorySegment host = Arena.ofAuto().allocate(LENGTH);
    try (CudaMemory memory = CudaMemory.allocate(Gpus.FIRST, LENGTH);
        CudaMemory other = CudaMemory.allocate(Gpus.FIRST, LENGTH);
        CudaMemory far = CudaMemory.allocate(Gpus.SECOND, LENGTH)) {
      for (Runnable copy :
          List.<Runnable>of(
              () -> access.copyFromHost(host, 0, memory.memory(), 0, LENGTH),
              () -> access.copyToHost(memory.memory(), 0, host, 0, LENGTH),
              () -> access.copy(memory.memory(), 0, other.memory(), 0, LENGTH),
              () -> access.copy(memory.memory(), 0, far.memory(), 0, LENGTH))) {
        refuseToWait(result);
        BackendException failed = catchThrowableOfType(BackendException.class, copy::run);
        assertThat(failed.isOver()).isEqualTo(isOver);
        assertThat(failed.code()).isEqualTo(result);
        gpus.driver().reset();
        copy.run();
      }
    }
  }

  /** What was refused before a copy was begun is over, whatever it was. */
  @Test
  void whatWasNotBegunIsOver() {
    MemorySegment host = Arena.ofAuto().allocate(LENGTH);
    try (CudaMemory memory = CudaMemory.allocate(Gpus.FIRST, LENGTH)) {
      for (String call : new String[] {"cuCtxPushCurrent", "cuMemcpyHtoDAsync"}) {
        gpus.driver().fault(call, 1, UNKNOWN);
        BackendException failed =
            catchThrowableOfType(
                BackendException.class,
                () -> access.copyFromHost(host, 0, memory.memory(), 0, LENGTH));
        assertThat(failed.isOver()).as(call).isTrue();
        gpus.driver().reset();
      }
    }
  }

  @ParameterizedTest
  @CsvSource({"999, false", "719, true"})
  void aBufferSaysWhetherItIsOver(int result, boolean isOver) {
    try (CudaMemory memory = CudaMemory.allocate(Gpus.FIRST, LENGTH);
        StagingBuffer buffer = access.stagingBuffer(Gpus.FIRST, LENGTH)) {
      buffer.store(0, memory.memory(), 0, LENGTH);
      refuseToWait(result);
      assertThatThrownBy(buffer::await).isInstanceOf(BackendException.class);
      assertThat(buffer.isOver()).isEqualTo(isOver);
      gpus.driver().reset();
    }
  }

  private static <T> T await(Mono<T> mono) {
    return Objects.requireNonNull(mono.block(PATIENCE));
  }

  /** It stays the GPU's, and the NIC stays open for it. */
  @ParameterizedTest
  @ValueSource(strings = {"tcp", "loopback", "libfabric"})
  void aRegionThatMayStillBeWrittenIsNotClosed(String backend) {
    TransferEngine origin = Engines.over(backend);
    TransferEngine target = Engines.over(backend);
    try (Arena arena = Arena.ofShared();
        CudaMemory memory = CudaMemory.allocate(Gpus.FIRST, LENGTH)) {
      ImmLease lease = target.lease();
      MemoryRegion from =
          await(origin.register(new HostMemory(arena.allocate(LENGTH)), Access.LOCAL));
      MemoryRegion to = await(target.register(memory.memory(), Access.REMOTE_WRITE));
      WriteImm write =
          WriteImm.of(from.whole(), origin.remote(to.descriptor()).whole(), lease.imm());
      origin.submit(write).then().block(PATIENCE);
      lease.counter().next(1).block(PATIENCE);
      refuseToWait(UNKNOWN);
      assertThatThrownBy(() -> origin.submit(write).then().block(PATIENCE))
          .isInstanceOf(TransferFailedException.class)
          .hasMessageContaining("CUDA_ERROR_UNKNOWN");
      gpus.driver().reset();
      assertThatThrownBy(() -> to.close().block(PATIENCE))
          .hasMessageContaining("may read or write");
      assertThatThrownBy(() -> target.close().block(PATIENCE))
          .hasStackTraceContaining("may read or write");
      origin.close().block(PATIENCE);
    }
  }

  /** Nothing goes on in a context that has ended. */
  @ParameterizedTest
  @ValueSource(strings = {"tcp", "loopback", "libfabric"})
  void aRegionWhoseGpuIsBrokenIsClosed(String backend) {
    TransferEngine origin = Engines.over(backend);
    TransferEngine target = Engines.over(backend);
    try (Arena arena = Arena.ofShared();
        CudaMemory memory = CudaMemory.allocate(Gpus.FIRST, LENGTH)) {
      ImmLease lease = target.lease();
      MemoryRegion from =
          await(origin.register(new HostMemory(arena.allocate(LENGTH)), Access.LOCAL));
      MemoryRegion to = await(target.register(memory.memory(), Access.REMOTE_WRITE));
      refuseToWait(LAUNCH_FAILED);
      assertThatThrownBy(() ->
              origin
                  .submit(
                      WriteImm.of(
                          from.whole(), origin.remote(to.descriptor()).whole(), lease.imm()))
                  .then()
                  .block(PATIENCE))
          .isInstanceOf(TransferFailedException.class)
          .hasMessageContaining("CUDA_ERROR_LAUNCH_FAILED");
      to.close().block(PATIENCE);
      Mono.when(origin.close(), target.close()).block(PATIENCE);
      gpus.driver().reset();
    }
  }
}
