package io.reactivetransfer.weights.check;

import io.reactivetransfer.DeviceMemory;
import io.reactivetransfer.HostMemory;
import io.reactivetransfer.Memory;
import io.reactivetransfer.weights.internal.Accelerators;
import io.reactivetransfer.weights.internal.DeviceWindow;
import io.reactivetransfer.weights.run.SourceMemory;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.zip.CRC32C;

/** The CRC-32C of rows of memory, one after the other. */
final class Sums {

  /** Rows that lie within so many bytes are seen through one buffer. */
  private static final long MOST = 1 << 30;

  private Sums() {}

  /** Sums up rows of a trainer's memory. */
  static int of(
      SourceMemory memory,
      Accelerators accelerators,
      long offset,
      long rowBytes,
      long rows,
      long stride) {
    return switch (memory) {
      case SourceMemory.Loaded loaded -> of(loaded.segment(), offset, rowBytes, rows, stride);
      case SourceMemory.Registered one ->
          of(one.region().memory(), accelerators, offset, rowBytes, rows, stride);
    };
  }

  /**
   * Sums up rows of memory, wherever it is.
   *
   * @throws IndexOutOfBoundsException if they do not lie within the memory
   * @throws io.reactivetransfer.spi.BackendException if an accelerator does not give them
   */
  static int of(
      Memory memory,
      Accelerators accelerators,
      long offset,
      long rowBytes,
      long rows,
      long stride) {
    return switch (memory) {
      case HostMemory host -> of(host.segment(), offset, rowBytes, rows, stride);
      case DeviceMemory device -> {
        long extent = rows == 1 ? rowBytes : extent(rowBytes, rows, stride);
        Objects.checkFromIndexSize(offset, extent, device.length());
        try (DeviceWindow window = accelerators.window(device, offset + extent)) {
          yield of(window, offset, rowBytes, rows, stride);
        }
      }
    };
  }

  private static int of(DeviceWindow window, long offset, long rowBytes, long rows, long stride) {
    CRC32C sum = new CRC32C();
    for (long row = 0; row < rows; row++) {
      for (long at = 0; at < rowBytes; ) {
        MemorySegment piece = window.from(offset + row * stride + at, rowBytes - at);
        sum.update(piece.asByteBuffer());
        at += piece.byteSize();
      }
    }
    return (int) sum.getValue();
  }

  /**
   * Sums up rows of memory of the host.
   *
   * @throws IndexOutOfBoundsException if they do not lie within the memory
   * @throws IllegalStateException if it is a mapped file that does not have them any more
   */
  static int of(MemorySegment memory, long offset, long rowBytes, long rows, long stride) {
    long extent = rows == 1 ? rowBytes : extent(rowBytes, rows, stride);
    MemorySegment all = memory.asSlice(offset, extent);
    if (memory.isMapped()) {
      return MappedSums.of(all, rowBytes, rows, stride);
    }
    CRC32C sum = new CRC32C();
    if (extent <= MOST && rows > 1) {
      ByteBuffer buffer = all.asByteBuffer();
      for (long row = 0; row < rows; row++) {
        int at = (int) (row * stride);
        sum.update(buffer.limit(at + (int) rowBytes).position(at));
      }
    } else {
      for (long row = 0; row < rows; row++) {
        row(sum, all, row * stride, rowBytes);
      }
    }
    return (int) sum.getValue();
  }

  private static void row(CRC32C sum, MemorySegment memory, long offset, long bytes) {
    for (long at = 0; at < bytes; at += MOST) {
      sum.update(memory.asSlice(offset + at, Math.min(MOST, bytes - at)).asByteBuffer());
    }
  }

  /** From the first byte of the first row to the last of the last. */
  static long extent(long rowBytes, long rows, long stride) {
    try {
      return Math.addExact(Math.multiplyExact(rows - 1, stride), rowBytes);
    } catch (ArithmeticException e) {
      throw new IndexOutOfBoundsException(
          "expected rows that can be addressed, got "
              + rows
              + " of "
              + rowBytes
              + " bytes at a stride of "
              + stride);
    }
  }
}
