package io.reactivetransfer.cuda;

import io.reactivetransfer.Device;
import io.reactivetransfer.DeviceMemory;
import java.util.concurrent.atomic.AtomicBoolean;
import jcuda.driver.CUdeviceptr;
import jcuda.driver.JCudaDriver;

/**
 * Memory of a GPU: names what others allocated, and allocates some. An object of this class owns
 * what it has allocated, until it is closed. Safe from any thread.
 */
public final class CudaMemory implements AutoCloseable {

  private final DeviceMemory memory;
  private final CUdeviceptr pointer;
  private final AtomicBoolean closed;

  private CudaMemory(DeviceMemory memory, CUdeviceptr pointer) {
    this.memory = memory;
    this.pointer = pointer;
    this.closed = Leaks.watch(this, memory.length() + " bytes of " + memory.device());
  }

  /**
   * Allocates memory, whose bytes are what they are. It blocks: the driver may wait for what runs
   * on the GPU.
   *
   * @param device such as {@code Device.of("cuda", 0)}
   * @param bytes 1 or more
   * @return to be closed by the caller; what is not is said in the log, and stays allocated
   * @throws CudaException if there is no such GPU, or not so much memory
   */
  public static CudaMemory allocate(Device device, long bytes) {
    if (bytes <= 0) {
      throw new IllegalArgumentException("expected 1 or more bytes, got " + bytes);
    }
    Gpu gpu = CudaDriver.here().gpu(device);
    return gpu.within(() -> {
      CUdeviceptr pointer = new CUdeviceptr();
      Results.require(
          "cuMemAlloc of " + bytes + " bytes of " + device,
          () -> JCudaDriver.cuMemAlloc(pointer, bytes));
      try {
        Pointers.synchronize(Addresses.of(pointer));
        return new CudaMemory(new DeviceMemory(device, Addresses.of(pointer), bytes), pointer);
      } catch (RuntimeException | Error e) {
        Results.of(() -> JCudaDriver.cuMemFree(pointer));
        throw e;
      }
    });
  }

  /**
   * Names memory that somebody else allocated and keeps. The driver is asked which GPU and context
   * it is of, and whether there is so much of it; copies to and from that allocation wait for their
   * end from now on ({@code SYNC_MEMOPS}), which NICs need, if the driver can do that for it: of
   * memory of a pool or of virtual pieces it may not, and then whoever copies has to synchronise.
   *
   * @param address device address of the first byte, as {@code cuMemAlloc} or {@code cudaMalloc}
   *     gave it, or within that
   * @param bytes 1 or more
   * @throws CudaException if that is no memory of a GPU, there is not so much of it, or it is of
   *     another context than the primary one
   */
  public static DeviceMemory of(long address, long bytes) {
    return Pointers.check(address, bytes);
  }

  /** The same, for who has it as JCuda has. */
  public static DeviceMemory of(CUdeviceptr pointer, long bytes) {
    return of(Addresses.of(pointer), bytes);
  }

  /** For engines. */
  public DeviceMemory memory() {
    return memory;
  }

  /** For JCuda; a new one each time, to the first byte. */
  public CUdeviceptr pointer() {
    return pointer.withByteOffset(0);
  }

  /**
   * Frees it; a second time does nothing. Every region that was made of it has to be closed before,
   * without an error: if closing one has failed, this memory stays until the process ends.
   *
   * <p>It blocks until nothing runs on the GPU any more, and the driver takes no copies for it
   * meanwhile, also from other threads: where a stream waits for an arrival whose bytes a backend
   * has to copy into that GPU, it would never end. So free nothing of a GPU while a stream waits
   * there.
   *
   * @throws CudaException if the driver refuses; it is lost then. Or if the thread is a virtual
   *     one, which changes nothing
   */
  @Override
  public void close() {
    if (closed.get()) {
      return;
    }
    Gpu.requirePlatformThread(); // who is refused may try again
    if (!closed.getAndSet(true)) {
      CudaDriver.here()
          .gpu(memory.device())
          .within(() -> {
            Results.require("cuMemFree", () -> JCudaDriver.cuMemFree(pointer));
            return true;
          });
    }
  }

  @Override
  public String toString() {
    return memory + (closed.get() ? ", closed" : "");
  }
}
