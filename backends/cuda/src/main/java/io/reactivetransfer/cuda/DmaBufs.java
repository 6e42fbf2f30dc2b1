package io.reactivetransfer.cuda;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import io.reactivetransfer.DeviceMemory;
import io.reactivetransfer.cuda.ffi.Cu;
import io.reactivetransfer.ffm.ffi.PollByLinker;
import io.reactivetransfer.spi.DeviceAccess.DmaBuf;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicBoolean;

/** Memory of a GPU as Linux hands it from one driver to another. */
final class DmaBufs {

  /** What the driver exports begins and ends where pages of the host do. */
  private static final long PAGE = 4_096;

  private DmaBufs() {}

  /** Whether the driver says so; the open kernel modules, and Linux 5.12, are needed for it. */
  static boolean canBeExported(Gpu gpu) {
    return gpu.attribute(Cu.CU_DEVICE_ATTRIBUTE_DMA_BUF_SUPPORTED) != 0;
  }

  /**
   * Exports memory, with the rest of its first and last page.
   *
   * @throws CudaException if the driver refuses
   */
  static DmaBuf export(Gpu gpu, DeviceMemory memory) {
    long begin = memory.address() & -PAGE;
    long end = (memory.address() + memory.length() + PAGE - 1) & -PAGE;
    return gpu.within(() -> {
      Pointers.synchronize(memory.address());
      try (Arena arena = Arena.ofConfined()) {
        MemorySegment descriptor = arena.allocate(JAVA_INT);
        int result =
            CudaDriver.here()
                .calls()
                .cuMemGetHandleForAddressRange(
                    descriptor.address(),
                    begin,
                    end - begin,
                    Cu.CU_MEM_RANGE_HANDLE_TYPE_DMA_BUF_FD,
                    0);
        if (result != Cu.CUDA_SUCCESS) {
          throw refusal(gpu, result);
        }
        return new Exported(
            descriptor.get(JAVA_INT, 0), memory.address() - begin, new AtomicBoolean());
      }
    });
  }

  /** What the driver said, and what to do where it exports nothing at all. */
  private static CudaException refusal(Gpu gpu, int result) {
    CudaException said = Results.failure("cuMemGetHandleForAddressRange of " + gpu, result);
    return canBeExported(gpu)
        ? said
        : new CudaException(
            result,
            said.getMessage()
                + "; install the driver's open kernel modules, on Linux 5.12 or newer, or use a"
                + " backend that copies through the host, such as tcp");
  }

  private record Exported(int descriptor, long offset, AtomicBoolean closed) implements DmaBuf {

    @Override
    public void close() {
      if (!closed.getAndSet(true)) {
        int _ = new PollByLinker().close(descriptor);
      }
    }
  }
}
