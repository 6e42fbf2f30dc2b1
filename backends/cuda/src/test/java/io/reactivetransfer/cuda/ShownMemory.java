package io.reactivetransfer.cuda;

import io.reactivetransfer.DeviceMemory;
import io.reactivetransfer.HostMemory;
import io.reactivetransfer.Memory;
import io.reactivetransfer.cuda.fake.FakeDriver;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.util.Map;
import java.util.NavigableMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import jcuda.driver.CUdeviceptr;
import jcuda.driver.CUmemAttach_flags;
import jcuda.driver.JCudaDriver;

/** Memory of a GPU that a test can look into, as only the GPU could if there was one. */
final class ShownMemory {

  private static final NavigableMap<Long, Chunk> BY_BYTES = new ConcurrentSkipListMap<>();

  private static final Map<Arena, SegmentAllocator> BY_ARENA = new ConcurrentHashMap<>();

  private static final long CHUNK = 1L << 20;

  private ShownMemory() {}

  /**
   * Allocates zeros of the first GPU, until the arena is closed, and gives their bytes. Many small
   * ones are of one allocation of the driver's, since each of those is a file and a mapping, which
   * rules count.
   */
  static SegmentAllocator in(Arena arena) {
    return BY_ARENA.computeIfAbsent(arena, ShownMemory::chunks);
  }

  private static SegmentAllocator chunks(Arena arena) {
    MemorySegment[] chunk = {MemorySegment.NULL};
    return (bytes, alignment) -> {
      synchronized (chunk) {
        MemorySegment left = chunk[0];
        long padding = Math.floorMod(-left.address(), alignment);
        if (padding + Math.max(1, bytes) > left.byteSize()) {
          left = chunk(arena, Math.max(CHUNK, bytes));
          padding = 0; // the driver aligns more than anybody asks for
        }
        chunk[0] = left.asSlice(padding + bytes);
        return left.asSlice(padding, bytes);
      }
    };
  }

  /** Some of the driver's memory, and where the CPU finds its bytes. */
  private record Chunk(DeviceMemory memory, long shown, Runnable free) {

    /** Of the fake, which has its bytes mapped for itself. */
    static Chunk ofFake(long bytes) {
      CudaMemory memory = CudaMemory.allocate(Gpus.FIRST, bytes);
      long shown = FakeDriver.load().bytes(memory.memory().address());
      return new Chunk(memory.memory(), shown, memory::close);
    }

    /**
     * Of a GPU: managed memory, which moves to where it is looked at, and has one address for both.
     * For copies by the driver it is as any other.
     */
    static Chunk ofGpu(long bytes) {
      CUdeviceptr pointer = new CUdeviceptr();
      Gpu gpu = CudaDriver.here().gpu(Gpus.FIRST);
      gpu.within(() -> {
        Results.require(
            "cuMemAllocManaged",
            () ->
                JCudaDriver.cuMemAllocManaged(
                    pointer, bytes, CUmemAttach_flags.CU_MEM_ATTACH_GLOBAL));
        return pointer;
      });
      long address = Addresses.of(pointer);
      return new Chunk(
          new DeviceMemory(Gpus.FIRST, address, bytes),
          address,
          () ->
              gpu.within(() -> {
                Results.require("cuMemFree", () -> JCudaDriver.cuMemFree(pointer));
                return pointer;
              }));
    }
  }

  @SuppressWarnings("restricted") // nothing but the driver knows how long it is
  private static MemorySegment chunk(Arena arena, long bytes) {
    Chunk chunk = Gpus.REAL ? Chunk.ofGpu(bytes) : Chunk.ofFake(bytes);
    BY_BYTES.put(chunk.shown, chunk);
    return MemorySegment.ofAddress(chunk.shown)
        .reinterpret(
            bytes,
            arena,
            _ -> {
              BY_ARENA.remove(arena);
              BY_BYTES.remove(chunk.shown).free.run();
            })
        .fill((byte) 0);
  }

  /** The memory whose bytes these are; the same memory if they are nobody's. */
  static Memory behind(HostMemory host) {
    long address = host.segment().address();
    Map.Entry<Long, Chunk> entry = BY_BYTES.floorEntry(address);
    if (entry == null) {
      return host;
    }
    long offset = address - entry.getKey();
    DeviceMemory memory = entry.getValue().memory;
    return offset <= memory.length() - host.length() ? memory.slice(offset, host.length()) : host;
  }
}
