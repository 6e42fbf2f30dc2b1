package io.reactivetransfer.cuda;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.reactivetransfer.Device;
import io.reactivetransfer.DeviceMemory;
import io.reactivetransfer.cuda.ffi.Cu;
import io.reactivetransfer.cuda.ffi.Libcuda;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import reactor.util.Logger;
import reactor.util.Loggers;

/** What the driver knows of an address. */
final class Pointers {

  private static final Logger LOG = Loggers.getLogger(Pointers.class);

  private Pointers() {}

  /**
   * Memory from an address on, after the driver has been asked what is there, and of which context.
   *
   * @throws CudaException if that is no memory of a GPU, less than was said, or of another context
   *     than the one that all is copied in
   */
  static DeviceMemory check(long address, long bytes) {
    Device device = find(address, bytes);
    requirePrimaryContext(address, CudaDriver.here().gpu(device));
    return prepare(device, address, bytes);
  }

  /**
   * The same of memory that was mapped in that context, of which the driver need not say so.
   *
   * @throws CudaException if that is no memory of a GPU, or less than was said
   */
  static DeviceMemory checkMapped(long address, long bytes) {
    return prepare(find(address, bytes), address, bytes);
  }

  /** The GPU that has so much memory there. */
  private static Device find(long address, long bytes) {
    int type = number(address, Cu.CU_POINTER_ATTRIBUTE_MEMORY_TYPE, "cannot tell what is");
    if (type != Cu.CU_MEMORYTYPE_DEVICE) {
      throw new CudaException(
          0,
          "expected memory of a GPU, got memory of the host " + text(address) + "; use HostMemory");
    }
    long begin = word(address, Cu.CU_POINTER_ATTRIBUTE_RANGE_START_ADDR);
    long length = word(address, Cu.CU_POINTER_ATTRIBUTE_RANGE_SIZE);
    long room = begin + length - address;
    if (bytes <= 0 || bytes > room) {
      throw new CudaException(
          0,
          "expected 1 to "
              + room
              + " bytes, what is left of the allocation "
              + text(address)
              + ", got "
              + bytes);
    }
    int ordinal =
        number(address, Cu.CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, "cannot tell the GPU of what is");
    return Device.of(CudaDriver.KIND, ordinal);
  }

  private static void requirePrimaryContext(long address, Gpu gpu) {
    long context = contextOf(address);
    if (context != 0 && context != gpu.contextAddress()) {
      throw new CudaException(
          0,
          "expected memory of the primary context of "
              + gpu
              + ", as CUDA's runtime allocates it, got memory of another context "
              + text(address)
              + "; allocate it behind cuDevicePrimaryCtxRetain and cuCtxSetCurrent, and not behind"
              + " cuCtxCreate");
    }
  }

  /** 0 for memory of pools and of virtual pieces, which is of none, whatever the driver says. */
  private static long contextOf(long address) {
    try {
      return value(
          address, Cu.CU_POINTER_ATTRIBUTE_CONTEXT, "cannot tell the context of what is", false);
    } catch (CudaException e) {
      if (isUntold(e.code())) {
        return 0;
      }
      throw e;
    }
  }

  /** Whether the driver does not know this of memory of some kind. */
  private static boolean isUntold(int result) {
    return result == Cu.CUDA_ERROR_INVALID_VALUE || result == Cu.CUDA_ERROR_NOT_SUPPORTED;
  }

  private static DeviceMemory prepare(Device device, long address, long bytes) {
    if (!CudaDriver.here().gpu(device).within(() -> synchronize(address))) {
      LOG.debug(
          "{} bytes {} of {}: the driver does not have copies of this memory wait for their end;"
              + " synchronise with them before a NIC is told to read what they bring",
          bytes,
          text(address),
          device);
    }
    return new DeviceMemory(device, address, bytes);
  }

  /** Where the allocation of an address begins. */
  static long begin(long address) {
    return word(address, Cu.CU_POINTER_ATTRIBUTE_RANGE_START_ADDR);
  }

  /**
   * Has copies to and from this allocation done when their calls return: otherwise, a copy of
   * memory that is not pinned may be under way still when a NIC reads what it brings. In the
   * context of its GPU.
   *
   * @return whether the driver does so; it may not for memory of a pool, of virtual pieces, or of
   *     another process
   */
  static boolean synchronize(long address) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment on = arena.allocate(JAVA_INT);
      on.set(JAVA_INT, 0, 1);
      int result =
          CudaDriver.here()
              .calls()
              .cuPointerSetAttribute(on.address(), Cu.CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, address);
      if (!isUntold(result)) {
        Results.require("cuPointerSetAttribute SYNC_MEMOPS", result);
      }
      return result == Cu.CUDA_SUCCESS;
    }
  }

  private static int number(long address, int attribute, String failure) {
    return (int) value(address, attribute, failure, true);
  }

  private static long word(long address, int attribute) {
    return value(address, attribute, "cannot tell the allocation of what is", false);
  }

  private static long value(long address, int attribute, String failure, boolean isInt) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment value = arena.allocate(JAVA_LONG);
      Libcuda calls = CudaDriver.here().calls();
      int result = ask(calls, value, attribute, address);
      if (result == Cu.CUDA_ERROR_INVALID_CONTEXT) { // the thread has none, and any will do
        Gpu any = CudaDriver.here().gpus().getFirst();
        result = any.within(() -> ask(calls, value, attribute, address));
      }
      if (result != Cu.CUDA_SUCCESS) {
        throw new CudaException(
            result,
            "expected memory that the driver allocated, but it "
                + failure
                + " "
                + text(address)
                + ": "
                + CudaDriver.name(result));
      }
      return isInt ? value.get(JAVA_INT, 0) : value.get(JAVA_LONG, 0);
    }
  }

  /** In the context that the thread has. */
  private static int ask(Libcuda calls, MemorySegment value, int attribute, long address) {
    CaptureMode.relax(calls);
    try {
      return calls.cuPointerGetAttribute(value.address(), attribute, address);
    } finally {
      CaptureMode.restore(calls);
    }
  }

  private static String text(long address) {
    return "at 0x" + Long.toHexString(address);
  }
}
