package io.reactivetransfer.examples.worker;

import io.reactivetransfer.Device;
import io.reactivetransfer.DeviceMemory;
import io.reactivetransfer.HostMemory;
import io.reactivetransfer.Memory;
import io.reactivetransfer.cuda.CudaMemory;
import io.reactivetransfer.spi.DeviceAccess;
import io.reactivetransfer.spi.Devices;
import io.reactivetransfer.tools.ByteCount;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** Memory of a worker: of the host, or of a GPU. */
public interface WorkerMemory extends AutoCloseable {

  /** For the engine. */
  Memory memory();

  /** A part of it. */
  default Memory slice(long offset, long length) {
    return switch (memory()) {
      case HostMemory host -> new HostMemory(host.segment().asSlice(offset, length));
      case DeviceMemory device -> device.slice(offset, length);
    };
  }

  /**
   * Bytes to be looked at or changed: themselves, or a copy, which is good until the next call.
   * {@link #write} brings it back.
   */
  MemorySegment read(long offset, long length);

  /** Puts bytes there, if they are not there already. */
  void write(long offset, MemorySegment bytes);

  /** All of it becomes this. */
  void fill(byte value);

  @Override
  void close();

  /** Of this device, in page-aligned memory; to be closed when no NIC can touch it any more. */
  static WorkerMemory of(Device device, long bytes) {
    return device.equals(Device.HOST) ? new OfHost(bytes) : new OfGpu(device, bytes);
  }

  /** Its bytes are where they are. */
  final class OfHost implements WorkerMemory {

    private static final long ALIGNMENT = 4096;

    private final Arena arena = Arena.ofShared();
    private final MemorySegment segment;

    @SuppressWarnings("MustBeClosed") // it is closed with this
    OfHost(long bytes) {
      this.segment = allocate(arena, bytes);
    }

    /** The same, of an arena of the caller's. */
    public static MemorySegment allocate(Arena arena, long bytes) {
      try {
        return arena.allocate(bytes, ALIGNMENT);
      } catch (OutOfMemoryError e) {
        throw new IllegalStateException(
            "no native memory for " + new ByteCount(bytes) + ": " + e.getMessage(), e);
      }
    }

    @Override
    public Memory memory() {
      return new HostMemory(segment);
    }

    @Override
    public MemorySegment read(long offset, long length) {
      return segment.asSlice(offset, length);
    }

    @Override
    public void write(long offset, MemorySegment bytes) {
      MemorySegment to = read(offset, bytes.byteSize());
      if (to.address() != bytes.address()) {
        to.copyFrom(bytes);
      }
    }

    @Override
    public void fill(byte value) {
      segment.fill(value);
    }

    @Override
    public void close() {
      arena.close();
    }
  }

  /** Its bytes go through the host to be looked at. One thread at a time. */
  final class OfGpu implements WorkerMemory {

    private static final long PIECE = 1 << 20;

    private final CudaMemory memory;
    private final DeviceAccess access;
    private final Arena arena = Arena.ofShared();
    private MemorySegment copy = MemorySegment.NULL;

    OfGpu(Device device, long bytes) {
      this.access = Devices.find().access(device);
      this.memory = CudaMemory.allocate(device, bytes);
    }

    @Override
    public Memory memory() {
      return memory.memory();
    }

    private MemorySegment copy(long length) {
      if (copy.byteSize() < length) {
        copy = arena.allocate(length);
      }
      return copy.asSlice(0, length);
    }

    @Override
    public MemorySegment read(long offset, long length) {
      MemorySegment bytes = copy(length);
      access.copyToHost(memory.memory(), offset, bytes, 0, length);
      return bytes;
    }

    @Override
    public void write(long offset, MemorySegment bytes) {
      access.copyFromHost(bytes, 0, memory.memory(), offset, bytes.byteSize());
    }

    @Override
    public void fill(byte value) {
      long all = memory.memory().length();
      MemorySegment piece = copy(Math.min(PIECE, all)).fill(value);
      for (long done = 0; done < all; done += PIECE) {
        write(done, piece.asSlice(0, Math.min(PIECE, all - done)));
      }
    }

    @Override
    public void close() {
      memory.close();
      arena.close();
    }
  }
}
