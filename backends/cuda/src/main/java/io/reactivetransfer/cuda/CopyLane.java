package io.reactivetransfer.cuda;

import io.reactivetransfer.cuda.ffi.Cu;
import io.reactivetransfer.cuda.ffi.Libcuda;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import jcuda.driver.JCudaDriver;
import org.jspecify.annotations.Nullable;

/**
 * Copies between a GPU and the host through pinned memory of its own, in two halves: while the GPU
 * fills or empties the one, the CPU does the other. So the GPU touches no memory of the
 * application's host, which may be freed by mistake, and reaches its full speed though that is not
 * pinned. One thread at a time, which has entered the GPU.
 */
final class CopyLane {

  /** Bytes of each half: the GPU is busy for longer than a call takes, and caches still hold it. */
  static final int HALF = 256 << 10;

  private static final int PAGE = 4_096;

  private final Libcuda calls;
  private final Half[] halves;

  /** Where a piece waits, and the stream that brings or takes it. */
  private record Half(MemorySegment memory, OwnStream stream) {

    long address() {
      return memory.address();
    }
  }

  private CopyLane(Libcuda calls, Half[] halves) {
    this.calls = calls;
    this.halves = halves;
  }

  /**
   * A new one.
   *
   * @throws CudaException if the driver refuses a stream, or to pin the memory
   */
  static CopyLane open(Libcuda calls) {
    OwnStream first = OwnStream.create();
    OwnStream second = null;
    try {
      second = OwnStream.create();
      MemorySegment memory = Arena.ofAuto().allocate(2L * HALF, PAGE);
      pin(memory);
      return new CopyLane(
          calls,
          new Half[] {
            new Half(memory.asSlice(0, HALF), first), new Half(memory.asSlice(HALF, HALF), second)
          });
    } catch (RuntimeException | Error e) { // want of memory, too
      destroy(first);
      destroy(second);
      throw e;
    }
  }

  private static void pin(MemorySegment memory) {
    Results.require(
        "cuMemHostRegister",
        () ->
            JCudaDriver.cuMemHostRegister(
                Addresses.host(memory), memory.byteSize(), Cu.CU_MEMHOSTREGISTER_PORTABLE));
  }

  private static void destroy(@Nullable OwnStream stream) {
    if (stream != null) {
      Results.of(() -> JCudaDriver.cuStreamDestroy(stream));
    }
  }

  /**
   * Copies to the host; the bytes are there when it returns.
   *
   * @throws CudaException if the GPU refuses; what was begun may still go on in this lane
   */
  void toHost(long source, MemorySegment target, long offset, long bytes) {
    if (bytes > 0) {
      fetch(source, 0, bytes);
    }
    for (long done = 0; done < bytes; done += HALF) {
      if (done + HALF < bytes) {
        fetch(source, done + HALF, bytes);
      }
      Half half = await(done);
      MemorySegment.copy(half.memory, 0, target, offset + done, Math.min(HALF, bytes - done));
    }
  }

  private void fetch(long source, long done, long bytes) {
    Half half = half(done);
    int result =
        calls.cuMemcpyDtoHAsync_v2(
            half.address(), source + done, Math.min(HALF, bytes - done), half.stream.address());
    Results.require("cuMemcpyDtoHAsync", result);
  }

  /**
   * Copies from the host; the bytes are there when it returns.
   *
   * @throws CudaException if the GPU refuses; what was begun may still go on in this lane
   */
  void fromHost(MemorySegment source, long offset, long target, long bytes) {
    for (long done = 0; done < bytes; done += HALF) {
      Half half = done < 2L * HALF ? half(done) : await(done); // what took the piece before away
      long piece = Math.min(HALF, bytes - done);
      MemorySegment.copy(source, offset + done, half.memory, 0, piece);
      int result =
          calls.cuMemcpyHtoDAsync_v2(target + done, half.address(), piece, half.stream.address());
      Results.require("cuMemcpyHtoDAsync", result);
    }
    if (bytes > 0) {
      await(0);
    }
    if (bytes > HALF) {
      await(HALF);
    }
  }

  /** A word of 64 bits of the GPU, as it is now. */
  long word(long address) {
    fetch(address, 0, Long.BYTES);
    return await(0).memory.get(ValueLayout.JAVA_LONG, 0);
  }

  private Half half(long done) {
    return halves[(int) (done / HALF & 1)];
  }

  private Half await(long done) {
    Half half = half(done);
    Results.require("cuStreamSynchronize", calls.cuStreamSynchronize(half.stream.address()));
    return half;
  }

  /** Waits for what was begun when something failed; returns whether nothing goes on any more. */
  boolean isQuiet() {
    boolean quiet = true;
    for (Half half : halves) {
      quiet &= calls.cuStreamSynchronize(half.stream.address()) == Cu.CUDA_SUCCESS;
    }
    return quiet;
  }
}
