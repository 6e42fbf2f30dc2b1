package io.reactivetransfer.cuda;

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

/** Memory of a GPU that a test can look into, as only the GPU could if there was one. */
final class ShownMemory {

  private static final NavigableMap<Long, CudaMemory> BY_BYTES = new ConcurrentSkipListMap<>();

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

  @SuppressWarnings("restricted") // nothing but the driver knows how long it is
  private static MemorySegment chunk(Arena arena, long bytes) {
    CudaMemory memory = CudaMemory.allocate(Gpus.FIRST, bytes);
    long shown = FakeDriver.load().bytes(memory.memory().address());
    BY_BYTES.put(shown, memory);
    return MemorySegment.ofAddress(shown)
        .reinterpret(
            bytes,
            arena,
            _ -> {
              BY_ARENA.remove(arena);
              BY_BYTES.remove(shown).close();
            })
        .fill((byte) 0);
  }

  /** The memory whose bytes these are; the same memory if they are nobody's. */
  static Memory behind(HostMemory host) {
    long address = host.segment().address();
    Map.Entry<Long, CudaMemory> entry = BY_BYTES.floorEntry(address);
    if (entry == null) {
      return host;
    }
    long offset = address - entry.getKey();
    long length = entry.getValue().memory().length();
    return offset <= length - host.length()
        ? entry.getValue().memory().slice(offset, host.length())
        : host;
  }
}
