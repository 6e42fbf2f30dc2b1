package io.reactivetransfer.cuda;

import io.reactivetransfer.cuda.ffi.Cu;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Deque;
import jcuda.driver.CUdeviceptr;
import jcuda.driver.JCudaDriver;
import org.jspecify.annotations.Nullable;

/**
 * Words of the host that one GPU reads and writes, by the page: pinning costs a page each time, and
 * unpinning would wait for all streams of the GPU, so they are used again and again. Safe from any
 * thread.
 */
final class WordPages {

  private static final int PAGE = 4_096;

  /** Each has a cache line of its own. */
  private static final int LINE = 64;

  /**
   * One word.
   *
   * @param memory 8 bytes of the host
   * @param pointer what the GPU calls it
   */
  record Word(MemorySegment memory, CUdeviceptr pointer) {}

  private final Gpu gpu;
  private final Deque<Word> free = new ArrayDeque<>();

  /** Of a page that the driver has refused to pin, or to name, to be tried again; pages stay. */
  private @Nullable MemorySegment refused;

  private boolean isRefusedPinned;

  WordPages(Gpu gpu) {
    this.gpu = gpu;
  }

  /**
   * One that nobody uses, whatever its value is.
   *
   * @throws CudaException if there is none, and the driver refuses to pin a page
   */
  synchronized Word take() {
    if (free.isEmpty()) {
      add(gpu.within(this::pin));
    }
    return free.removeLast();
  }

  synchronized void give(Word word) {
    free.addLast(word);
  }

  private void add(Word page) {
    for (long at = 0; at < PAGE; at += LINE) {
      free.addLast(new Word(page.memory.asSlice(at, Long.BYTES), page.pointer.withByteOffset(at)));
    }
  }

  private Word pin() {
    MemorySegment again = refused;
    MemorySegment page = again == null ? Arena.global().allocate(PAGE, PAGE) : again;
    refused = page;
    if (!isRefusedPinned) {
      Results.require(
          "cuMemHostRegister",
          () ->
              JCudaDriver.cuMemHostRegister(
                  Addresses.host(page),
                  PAGE,
                  Cu.CU_MEMHOSTREGISTER_PORTABLE | Cu.CU_MEMHOSTREGISTER_DEVICEMAP));
    }
    isRefusedPinned = true;
    CUdeviceptr pointer = new CUdeviceptr();
    Results.require(
        "cuMemHostGetDevicePointer",
        () -> JCudaDriver.cuMemHostGetDevicePointer(pointer, Addresses.host(page), 0));
    isRefusedPinned = false;
    refused = null;
    return new Word(page, pointer);
  }
}
