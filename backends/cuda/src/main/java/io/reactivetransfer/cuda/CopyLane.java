package io.reactivetransfer.cuda;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Copies between a GPU and the host, and within the GPU, through pinned memory of its own in two
 * halves: while the GPU fills or empties the one, the other is dealt with. So the GPU touches no
 * memory of the application's host, which may be freed by mistake, and reaches its full speed
 * though that is not pinned. One thread at a time, which has entered the GPU.
 */
final class CopyLane {

  /** Bytes of each half: the GPU is busy for longer than a call takes, and caches still hold it. */
  static final int HALF = 256 << 10;

  private final CudaBuffer[] halves;

  private CopyLane(CudaBuffer first, CudaBuffer second) {
    this.halves = new CudaBuffer[] {first, second};
  }

  /**
   * A new one.
   *
   * @throws CudaException if the driver refuses to pin the memory
   */
  static CopyLane open(CudaBuffers buffers) {
    CudaBuffer first = buffers.take(HALF);
    try {
      return new CopyLane(first, buffers.take(HALF));
    } catch (RuntimeException | Error e) { // want of memory, too
      buffers.give(first);
      throw e;
    }
  }

  /**
   * Copies to the host; the bytes are there when it returns.
   *
   * @throws CudaException if the GPU refuses; what was begun may still go on in this lane
   */
  void toHost(long source, MemorySegment target, long offset, long bytes) {
    if (bytes > 0) {
      fetch(source, 0, bytes);
    }
    for (long done = 0; done < bytes; done += HALF) {
      if (done + HALF < bytes) {
        fetch(source, done + HALF, bytes);
      }
      MemorySegment half = await(done).memory();
      MemorySegment.copy(half, 0, target, offset + done, Math.min(HALF, bytes - done));
    }
  }

  private void fetch(long source, long done, long bytes) {
    half(done).begin(true, 0, source + done, Math.min(HALF, bytes - done));
  }

  /**
   * Copies from the host; the bytes are there when it returns.
   *
   * @throws CudaException if the GPU refuses; what was begun may still go on in this lane
   */
  void fromHost(MemorySegment source, long offset, long target, long bytes) {
    for (long done = 0; done < bytes; done += HALF) {
      CudaBuffer half =
          done < 2L * HALF ? half(done) : await(done); // what took the piece before away
      long piece = Math.min(HALF, bytes - done);
      MemorySegment.copy(source, offset + done, half.memory(), 0, piece);
      half.begin(false, 0, target + done, piece);
    }
    if (bytes > 0) {
      await(0);
    }
    if (bytes > HALF) {
      await(HALF);
    }
  }

  /**
   * Copies within the GPU, through the host: by itself the driver lets processors of the GPU do
   * that, and waits for a kernel that has taken them all, which may wait for these bytes. The bytes
   * are there when it returns.
   *
   * @throws CudaException if the GPU refuses; what was begun may still go on in this lane
   */
  void within(long source, long target, long bytes) {
    for (long done = 0; done < bytes; done += HALF) {
      fetch(source, done, bytes); // while what the other half has is stored
      CudaBuffer half = await(done);
      half.begin(false, 0, target + done, Math.min(HALF, bytes - done));
    }
    for (long done = 0; done < Math.min(bytes, 2L * HALF); done += HALF) {
      await(done);
    }
  }

  /** A word of 64 bits of the GPU, as it is now. */
  long word(long address) {
    fetch(address, 0, Long.BYTES);
    return await(0).memory().get(ValueLayout.JAVA_LONG, 0);
  }

  private CudaBuffer half(long done) {
    return halves[(int) (done / HALF & 1)];
  }

  private CudaBuffer await(long done) {
    CudaBuffer half = half(done);
    half.awaitBegun();
    return half;
  }

  /** Waits for what was begun when something failed; returns whether nothing goes on any more. */
  boolean isQuiet() {
    boolean quiet = true;
    for (CudaBuffer half : halves) {
      try {
        half.awaitBegun();
      } catch (CudaException e) {
        // The copy has failed, and whoever made it is told; the half may be of use all the same.
      }
      quiet &= half.isQuiet();
    }
    return quiet;
  }

  /** Whether nothing goes on any more, in none of what cannot be used again either. */
  boolean isOver() {
    return halves[0].isOver() && halves[1].isOver();
  }

  /** It is used no more: what is of use of it may be another one's. */
  void giveHalves(CudaBuffers buffers) {
    for (CudaBuffer half : halves) {
      buffers.give(half);
    }
  }
}
