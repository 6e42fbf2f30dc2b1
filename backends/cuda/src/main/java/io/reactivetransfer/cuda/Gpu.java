package io.reactivetransfer.cuda;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.nio.charset.StandardCharsets.US_ASCII;

import io.reactivetransfer.Device;
import io.reactivetransfer.cuda.ffi.Cu;
import io.reactivetransfer.cuda.ffi.Libcuda;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Locale;
import java.util.function.Supplier;
import jcuda.driver.CUcontext;
import jcuda.driver.CUdevice;
import jcuda.driver.CUstream;
import jcuda.driver.JCudaDriver;
import org.jspecify.annotations.Nullable;
import reactor.util.Logger;
import reactor.util.Loggers;

/**
 * One GPU. Its context is the driver's primary one, which CUDA's runtime and other libraries use,
 * too; it comes about when it is first needed, since that takes time and memory, and stays until
 * the process ends.
 */
final class Gpu {

  private static final Logger LOG = Loggers.getLogger(Gpu.class);
  private static final int TEXT_BYTES = 256;

  private final Libcuda calls;
  private final Device device;
  private final CopyLanes lanes;
  private final CudaBuffers buffers;
  private final WordPages words;
  private final PassedWaits waits;
  private final WaitingStreams waiting =
      WaitingStreams.of(System.getenv(WaitingStreams.QUEUES)); // as the driver has read it

  /** Where the driver puts what was current; nobody reads it. */
  private final MemorySegment popped = Arena.ofAuto().allocate(JAVA_LONG);

  private volatile @Nullable OwnContext context;
  private volatile @Nullable Boolean ordered;

  /** One of those that there are; asks nothing yet. */
  Gpu(Libcuda calls, int ordinal) {
    this.calls = calls;
    this.device = Device.of(CudaDriver.KIND, ordinal);
    this.buffers = new CudaBuffers(this, calls);
    this.lanes = new CopyLanes(buffers);
    this.words = new WordPages(this);
    this.waits = new PassedWaits(this);
  }

  Device device() {
    return device;
  }

  int ordinal() {
    return device.ordinal();
  }

  CopyLanes lanes() {
    return lanes;
  }

  CudaBuffers buffers() {
    return buffers;
  }

  WordPages words() {
    return words;
  }

  PassedWaits waits() {
    return waits;
  }

  WaitingStreams waiting() {
    return waiting;
  }

  /**
   * The calling thread stays at one thread of the operating system, whose context a GPU's is.
   *
   * @throws CudaException if it is a virtual thread
   */
  static void requirePlatformThread() {
    if (Thread.currentThread().isVirtual()) {
      throw new CudaException(
          0,
          "expected a platform thread, since the driver has a GPU's context for each thread of the"
              + " operating system, got a virtual one, which may go on at another of them; give the"
              + " call to a platform thread, such as one of Executors.newFixedThreadPool");
    }
  }

  /**
   * Makes its context the calling thread's, until {@link #leave()}, and has the thread's calls harm
   * no stream that is captured meanwhile.
   *
   * @throws CudaException if that is a virtual thread, or the driver refuses
   */
  void enter() {
    requirePlatformThread();
    CaptureMode.relax(calls);
    try {
      Results.require("cuCtxPushCurrent", calls.cuCtxPushCurrent_v2(contextAddress()));
    } catch (RuntimeException | Error e) {
      CaptureMode.restore(calls);
      throw e;
    }
  }

  /** Gives the thread back what it had before; goes on whatever the driver says to that. */
  void leave() {
    int result = calls.cuCtxPopCurrent_v2(popped.address());
    if (result != Cu.CUDA_SUCCESS) {
      LOG.error(
          "a thread keeps the context of {}: cuCtxPopCurrent failed with {}",
          device,
          DriverProbe.name(calls, result));
    }
    CaptureMode.restore(calls);
  }

  /** Does something in its context. */
  <T> T within(Supplier<T> use) {
    enter();
    try {
      return use.get();
    } finally {
      leave();
    }
  }

  /**
   * A stream is of its primary context, as far as the driver says of which it is. In that context.
   *
   * @throws IllegalArgumentException if it is of another one
   */
  void requireOwn(CUstream stream) {
    OwnContext other = new OwnContext();
    int result = Results.of(() -> JCudaDriver.cuStreamGetCtx(stream, other));
    if (result == Cu.CUDA_SUCCESS && other.address() != contextAddress()) {
      throw new IllegalArgumentException(
          "expected a stream of the primary context of "
              + device
              + ", got one of another GPU or of another context; make it where that GPU is the"
              + " current one, by cudaSetDevice, or by cuDevicePrimaryCtxRetain and"
              + " cuCtxSetCurrent");
    }
  }

  /** Of its primary context, which there is from now on. */
  long contextAddress() {
    OwnContext own = context;
    return own == null ? retain().address() : own.address();
  }

  private synchronized OwnContext retain() {
    OwnContext own = context;
    if (own == null) {
      OwnContext retained = new OwnContext();
      CUdevice handle = new CUdevice();
      Results.require("cuDeviceGet", () -> JCudaDriver.cuDeviceGet(handle, ordinal()));
      Results.require(
          "cuDevicePrimaryCtxRetain", () -> JCudaDriver.cuDevicePrimaryCtxRetain(retained, handle));
      context = retained;
      own = retained;
    }
    return own;
  }

  /** A context whose address can be read. */
  private static final class OwnContext extends CUcontext {

    long address() {
      return getNativePointer();
    }
  }

  /** An attribute; 0 where the driver does not know it. */
  int attribute(int attribute) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment value = arena.allocate(JAVA_INT);
      int result = calls.cuDeviceGetAttribute(value.address(), attribute, ordinal());
      return result == Cu.CUDA_SUCCESS ? value.get(JAVA_INT, 0) : 0;
    }
  }

  /**
   * Has what a NIC wrote into its memory seen by what runs on it, if it does not see to that by
   * itself.
   *
   * @throws CudaException if the driver refuses, or cannot do that
   */
  void flush() {
    if (!seesWritesInOrder()) {
      enter();
      try {
        Results.require(
            "cuFlushGPUDirectRDMAWrites",
            calls.cuFlushGPUDirectRDMAWrites(
                Cu.CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TARGET_CURRENT_CTX,
                Cu.CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TO_OWNER));
      } finally {
        leave();
      }
    }
  }

  /** Asked once, and again where two threads are the first. */
  private boolean seesWritesInOrder() {
    Boolean known = ordered;
    if (known == null) {
      known =
          attribute(Cu.CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_WRITES_ORDERING)
              != Cu.CU_GPU_DIRECT_RDMA_WRITES_ORDERING_NONE;
      ordered = known;
    }
    return known;
  }

  /** Its product's name. */
  String name() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment text = arena.allocate(TEXT_BYTES);
      return calls.cuDeviceGetName(text.address(), TEXT_BYTES, ordinal()) == Cu.CUDA_SUCCESS
          ? text.getString(0, US_ASCII)
          : "unknown";
    }
  }

  /** Its place in the machine, in lower case, as Linux has it; null if the driver does not say. */
  @Nullable String pciAddress() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment text = arena.allocate(TEXT_BYTES);
      return calls.cuDeviceGetPCIBusId(text.address(), TEXT_BYTES, ordinal()) == Cu.CUDA_SUCCESS
          ? text.getString(0, US_ASCII).toLowerCase(Locale.ROOT)
          : null;
    }
  }

  /** Which one it is, in every process. */
  byte[] uuid() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment uuid = arena.allocate(Cu.UUID_BYTES);
      Results.require("cuDeviceGetUuid", calls.cuDeviceGetUuid_v2(uuid.address(), ordinal()));
      return uuid.toArray(JAVA_BYTE);
    }
  }

  @Override
  public String toString() {
    return device.toString();
  }
}
