package io.reactivetransfer.cuda;

import io.reactivetransfer.HostMemory;
import io.reactivetransfer.Memory;
import io.reactivetransfer.cuda.fake.FakeDriver;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.util.Map;
import java.util.NavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;

/** Memory of a GPU that a test can look into, as only the GPU could if there was one. */
final class ShownMemory {

  private static final NavigableMap<Long, CudaMemory> BY_BYTES = new ConcurrentSkipListMap<>();

  private ShownMemory() {}

  /** Allocates zeros of the first GPU, until the arena is closed, and gives their bytes. */
  static SegmentAllocator in(Arena arena) {
    return (bytes, alignment) -> {
      CudaMemory memory = CudaMemory.allocate(Gpus.FIRST, Math.max(1, bytes));
      long shown = FakeDriver.load().bytes(memory.memory().address());
      BY_BYTES.put(shown, memory);
      return MemorySegment.ofAddress(shown)
          .reinterpret(bytes, arena, _ -> BY_BYTES.remove(shown).close())
          .fill((byte) 0);
    };
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
