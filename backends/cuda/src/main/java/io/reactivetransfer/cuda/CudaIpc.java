package io.reactivetransfer.cuda;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.reactivetransfer.DeviceMemory;
import io.reactivetransfer.cuda.ffi.Cu;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import reactor.core.publisher.Mono;

/**
 * Memory of a GPU in two processes: one allocates it, such as a rank that computes, and the other
 * one uses it, such as the process of the engine. The bytes that {@link #export} gives are the
 * right to read and write that memory: whoever gets them has it.
 *
 * <p>The driver's rules are: the process that exports keeps the memory until all that imported it
 * have closed it, and neither is the other; the memory is of {@code cuMemAlloc} or {@code
 * cudaMalloc}, not of a pool, managed, or put together from virtual pieces. What is imported from a
 * process that has died is not to be used: {@link #exporterEnded} tells when.
 */
public final class CudaIpc implements AutoCloseable {

  /** Where what is imported begins here, and how often it is open. */
  private static final Map<Long, Integer> IMPORTED = new ConcurrentHashMap<>();

  private final DeviceMemory memory;
  private final long base;
  private final long begin;
  private final Exporter exporter;
  private final AtomicBoolean closed;

  private CudaIpc(DeviceMemory memory, long base, long begin, Exporter exporter) {
    this.memory = memory;
    this.base = base;
    this.begin = begin;
    this.exporter = exporter;
    this.closed = Leaks.watch(this, memory.length() + " imported bytes of " + memory.device());
  }

  /**
   * Names memory for other processes on this machine.
   *
   * @return {@value IpcToken#BYTES} bytes, for {@link #open}
   * @throws CudaException if there is not so much of it, it is of another GPU or another context
   *     than is said, or was imported; or if the driver refuses, such as for memory of a pool
   */
  public static byte[] export(DeviceMemory memory) {
    Gpu gpu = CudaDriver.here().gpu(memory.device());
    long begin = Pointers.begin(memory.address());
    requireNotImported(begin);
    requireSameDevice(memory, Pointers.check(memory.address(), memory.length()));
    return gpu.within(() -> {
      try (Arena arena = Arena.ofConfined()) {
        MemorySegment handle = arena.allocate(Cu.CU_IPC_HANDLE_SIZE, Long.BYTES);
        int result = CudaDriver.here().calls().cuIpcGetMemHandle(handle.address(), begin);
        if (result != Cu.CUDA_SUCCESS) {
          throw new CudaException(
              result,
              "expected memory of cuMemAlloc or cudaMalloc, that this process has allocated and"
                  + " that is not of a pool, managed, or of virtual pieces: cuIpcGetMemHandle"
                  + " failed with "
                  + CudaDriver.name(result));
        }
        return new IpcToken(
                gpu.uuid(),
                memory.address() - begin,
                memory.length(),
                handle.toArray(JAVA_BYTE),
                Exporter.here())
            .encode();
      }
    });
  }

  private static void requireSameDevice(DeviceMemory said, DeviceMemory found) {
    if (!found.device().equals(said.device())) {
      throw new CudaException(
          0,
          "expected memory of "
              + said.device()
              + ", got memory of "
              + found.device()
              + " under that name; take CudaMemory.of, which asks the driver");
    }
  }

  private static void requireNotImported(long begin) {
    if (IMPORTED.containsKey(begin)) {
      throw new CudaException(
          0,
          "expected memory that this process has allocated, got imported memory; have the process"
              + " that has allocated it export it, as often as there are others");
    }
  }

  /**
   * Makes memory of another process usable in this one.
   *
   * @param exported what {@link #export} gave there
   * @return to be closed by the caller, before the other process frees the memory
   * @throws IllegalArgumentException if these are other bytes, or those of another version
   * @throws CudaException if the GPU is not seen here, the other process has ended, is this one, or
   *     has freed the memory
   */
  public static CudaIpc open(byte[] exported) {
    IpcToken token = IpcToken.decode(exported);
    Gpu gpu = gpu(token.uuid());
    Exporter exporter = token.exporter();
    if (exporter.isHere()) {
      throw new CudaException(
          0,
          "expected memory of another process, got some that this one has exported itself; use the"
              + " DeviceMemory that it was exported from");
    }
    if (exporter.isInSight() && exporter.hasEnded()) {
      throw new CudaException(
          0,
          "expected memory of a process that runs, got some of process "
              + exporter.pid()
              + ", which has ended; have it exported anew by the one that has it now");
    }
    return gpu.within(() -> {
      try (Arena arena = Arena.ofConfined()) {
        MemorySegment handle = arena.allocateFrom(JAVA_BYTE, token.handle());
        MemorySegment base = arena.allocate(JAVA_LONG);
        int result =
            CudaDriver.here()
                .calls()
                .cuIpcOpenMemHandle_v2(
                    base.address(), handle, Cu.CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS);
        if (result != Cu.CUDA_SUCCESS) {
          throw new CudaException(
              result,
              "expected memory that another process still has, but cuIpcOpenMemHandle failed with "
                  + CudaDriver.name(result)
                  + "; keep it there until it is closed here, and have what was freed exported"
                  + " anew");
        }
        return opened(base.get(JAVA_LONG, 0), token);
      }
    });
  }

  private static CudaIpc opened(long base, IpcToken token) {
    try {
      DeviceMemory memory = Pointers.checkMapped(base + token.offset(), token.length());
      long begin = Pointers.begin(base);
      if (Pointers.begin(memory.address()) != begin) {
        throw new CudaException(
            0,
            "expected memory within what was exported, got offset "
                + token.offset()
                + ", where other memory lies");
      }
      CudaIpc opened = new CudaIpc(memory, base, begin, token.exporter());
      IMPORTED.merge(begin, 1, Integer::sum);
      return opened;
    } catch (RuntimeException | Error e) {
      int _ = CudaDriver.here().calls().cuIpcCloseMemHandle(base);
      throw e;
    }
  }

  /** By what it is called everywhere: CUDA_VISIBLE_DEVICES may have it another number here. */
  private static Gpu gpu(byte[] uuid) {
    CudaDriver.here().calls();
    for (Gpu gpu : CudaDriver.here().gpus()) {
      if (Arrays.equals(gpu.uuid(), uuid)) {
        return gpu;
      }
    }
    throw new CudaException(
        0,
        "expected memory of one of "
            + CudaDriver.here().gpus()
            + ", got some of a GPU that this process does not see; look at CUDA_VISIBLE_DEVICES");
  }

  /** For engines of this process. */
  public DeviceMemory memory() {
    return memory;
  }

  /**
   * Waits for the end of the process that exported the memory, from which on it is not to be used:
   * close the regions of it, then this. As long as somebody has subscribed, it is looked every 100
   * ms whether that process is there. What it wants to free while it lives, it has to say by
   * itself.
   *
   * <p>Threads of {@code Schedulers.boundedElastic()} are virtual ones where {@code
   * reactor.schedulers.defaultBoundedElasticOnVirtualThreads} is {@code true}. {@link #close}
   * refuses those: give it to a platform thread.
   *
   * @return completes when it has ended, on a thread of {@code Schedulers.boundedElastic()}; fails
   *     with a {@link CudaException} where this process cannot see that one, because it is in
   *     another namespace of processes, as in another container, or of another user and hidden
   */
  public Mono<Void> exporterEnded() {
    return exporter.ended();
  }

  /**
   * Ends the use of the memory here; a second time does nothing. Every region that was made of it
   * has to be closed before. It blocks as {@link CudaMemory#close} does.
   *
   * @throws CudaException if the driver refuses; or if the thread is a virtual one, which changes
   *     nothing
   */
  @Override
  public void close() {
    if (closed.get()) {
      return;
    }
    Gpu.requirePlatformThread(); // who is refused may try again
    if (!closed.getAndSet(true)) {
      IMPORTED.computeIfPresent(begin, (same, opened) -> opened == 1 ? null : opened - 1);
      CudaDriver.here()
          .gpu(memory.device())
          .within(() -> {
            Results.require(
                "cuIpcCloseMemHandle", CudaDriver.here().calls().cuIpcCloseMemHandle(base));
            return true;
          });
    }
  }
}
