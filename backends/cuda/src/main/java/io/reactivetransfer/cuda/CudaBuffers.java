package io.reactivetransfer.cuda;

import io.reactivetransfer.cuda.ffi.Libcuda;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The pinned buffers of one GPU, and the two streams in which they are filled and emptied. All of
 * them stay until the process ends, since the driver would wait for all streams of the GPU to unpin
 * their memory, and who has closed one leaves it to the next. Safe from any thread.
 */
final class CudaBuffers {

  private final Gpu gpu;
  private final Libcuda calls;

  /** Those that nobody has just now, by their size. */
  private final Map<Long, Deque<CudaBuffer>> idle = new HashMap<>();

  /** Also those that are of no use any more: the GPU may still fill them. */
  private final List<CudaBuffer> all = new ArrayList<>();

  private final Object opening = new Object();
  private volatile @Nullable OwnStream fetching;
  private volatile @Nullable OwnStream storing;

  CudaBuffers(Gpu gpu, Libcuda calls) {
    this.gpu = gpu;
    this.calls = calls;
  }

  /**
   * One of this size.
   *
   * @throws CudaException if there is none, and the driver refuses to make one
   */
  CudaBuffer take(long bytes) {
    CudaBuffer buffer;
    synchronized (this) {
      Deque<CudaBuffer> alike = idle.get(bytes);
      buffer = alike == null ? null : alike.pollLast();
    }
    return buffer == null ? gpu.within(() -> CudaBuffer.open(gpu, calls, bytes)) : buffer;
  }

  /** One whose memory is going to be pinned. */
  synchronized void keep(CudaBuffer buffer) {
    all.add(buffer);
  }

  /** One whose memory could not be pinned. */
  synchronized void forget(CudaBuffer buffer) {
    all.remove(buffer);
  }

  /** Gives one back, if it is of use. */
  synchronized void give(CudaBuffer buffer) {
    if (buffer.isQuiet()) {
      idle.computeIfAbsent(buffer.memory().byteSize(), _ -> new ArrayDeque<>()).addLast(buffer);
    }
  }

  /**
   * The stream of all that comes from the GPU, whose context is the calling thread's.
   *
   * @throws CudaException if the driver refuses to make it
   */
  OwnStream fetching() {
    OwnStream known = fetching;
    return known == null ? open(true) : known;
  }

  /** The stream of all that goes there; the same. */
  OwnStream storing() {
    OwnStream known = storing;
    return known == null ? open(false) : known;
  }

  /** Under a lock of its own, since the driver may take its time, and buffers need not wait. */
  private OwnStream open(boolean isFetching) {
    synchronized (opening) {
      OwnStream known = isFetching ? fetching : storing;
      OwnStream stream = known == null ? OwnStream.create() : known;
      if (isFetching) {
        fetching = stream;
      } else {
        storing = stream;
      }
      return stream;
    }
  }
}
