package io.reactivetransfer.tools.perf;

import io.reactivetransfer.Device;
import io.reactivetransfer.DeviceMemory;
import io.reactivetransfer.Memory;
import io.reactivetransfer.cuda.CudaMemory;
import io.reactivetransfer.spi.DeviceAccess;
import io.reactivetransfer.spi.Devices;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.SplittableRandom;
import java.util.zip.CRC32C;

/** Memory of a GPU. Its bytes go through the host piece by piece; one thread at a time. */
final class GpuBuffer implements Buffer {

  /** A multiple of what {@link Content} writes at once, so that pieces do not show. */
  private static final long PIECE = 1 << 20;

  private final DeviceAccess access;
  private final DeviceMemory memory;
  private final Runnable free;
  private final Arena arena;
  private final MemorySegment piece;

  /**
   * Of memory that is there.
   *
   * @param free is run when this is closed
   */
  @SuppressWarnings("MustBeClosed") // it is closed with this
  GpuBuffer(DeviceAccess access, DeviceMemory memory, Runnable free) {
    this.access = access;
    this.memory = memory;
    this.free = free;
    this.arena = Arena.ofShared();
    this.piece = arena.allocate(Math.min(PIECE, memory.length()), Long.BYTES);
  }

  @SuppressWarnings("MustBeClosed") // it is closed with the buffer
  static GpuBuffer allocate(Device device, long bytes) {
    DeviceAccess access = Devices.find().access(device);
    CudaMemory memory = CudaMemory.allocate(device, bytes);
    return new GpuBuffer(access, memory.memory(), memory::close);
  }

  @Override
  public Memory memory() {
    return memory;
  }

  @Override
  public void fill(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    for (long at = 0; at < memory.length(); at += PIECE) {
      MemorySegment bytes = piece(memory.length() - at);
      Content.fill(bytes, random);
      access.copyFromHost(bytes, 0, memory, at, bytes.byteSize());
    }
  }

  @Override
  public long checksum(long bytes) {
    CRC32C checksum = new CRC32C();
    for (long at = 0; at < bytes; at += PIECE) {
      MemorySegment copy = piece(bytes - at);
      access.copyToHost(memory, at, copy, 0, copy.byteSize());
      checksum.update(copy.asByteBuffer());
    }
    return checksum.getValue();
  }

  private MemorySegment piece(long left) {
    return piece.asSlice(0, Math.min(PIECE, left));
  }

  @Override
  public MemorySegment segment() {
    throw new IllegalStateException("expected memory of the host, got " + memory);
  }

  @Override
  public void close() {
    try {
      free.run();
    } finally {
      arena.close();
    }
  }
}
