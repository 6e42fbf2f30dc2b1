package io.reactivetransfer.weights.internal;

import io.reactivetransfer.DeviceMemory;
import io.reactivetransfer.spi.DeviceAccess;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Objects;

/**
 * Memory of an accelerator as the CPU reads it: a piece of it is copied to the host at a time. A
 * piece has all that fits, beyond what was asked for, since copying so little takes no longer than
 * asking for a copy: rows of a few bytes cost one copy for many of them. For one thread, the one
 * that made it.
 */
public final class DeviceWindow implements AutoCloseable {

  private static final long MOST_BYTES = 256 << 10;

  private final Arena arena = Arena.ofConfined();
  private final DeviceAccess access;
  private final DeviceMemory memory;
  private final long limit;
  private final MemorySegment piece;

  /** Which bytes of the memory the piece has. */
  private long begin;

  private long end;

  DeviceWindow(DeviceAccess access, DeviceMemory memory, long limit) {
    this.access = access;
    this.memory = memory;
    this.limit = Math.min(limit, memory.length());
    this.piece = arena.allocate(Math.clamp(this.limit, 1, MOST_BYTES));
  }

  /**
   * The bytes from an offset on: as many as are wanted, or as many of them as are there at once,
   * but one at least. Valid until the next call.
   *
   * @param wanted bytes, 1 or more
   * @throws IndexOutOfBoundsException if they are not all in front of the end
   * @throws io.reactivetransfer.spi.BackendException if the accelerator refuses
   */
  public MemorySegment from(long offset, long wanted) {
    Objects.checkFromIndexSize(offset, wanted, limit);
    if (offset < begin || offset >= end) {
      long length = Math.min(piece.byteSize(), limit - offset);
      end = begin; // nothing is there if the copy fails
      access.copyToHost(memory, offset, piece, 0, length);
      begin = offset;
      end = offset + length;
    }
    return piece.asSlice(offset - begin, Math.min(wanted, end - offset));
  }

  /** Copies bytes to memory of the host. */
  public void copy(long offset, MemorySegment to, long at, long length) {
    for (long done = 0; done < length; ) {
      MemorySegment next = from(offset + done, length - done);
      MemorySegment.copy(next, 0, to, at + done, next.byteSize());
      done += next.byteSize();
    }
  }

  @Override
  public void close() {
    arena.close();
  }
}
