package io.reactivetransfer.cuda;

import io.reactivetransfer.cuda.ffi.Libcuda;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * The lanes of one GPU that nobody copies through just now: as many as have been needed at once.
 * They stay, since the driver would wait for all streams of the GPU to unpin their memory. Safe
 * from any thread.
 */
final class CopyLanes {

  private final Libcuda calls;
  private final Deque<CopyLane> idle = new ArrayDeque<>();

  CopyLanes(Libcuda calls) {
    this.calls = calls;
  }

  /**
   * One for the calling thread, which has entered the GPU.
   *
   * @throws CudaException if there is none, and the driver refuses to make one
   */
  CopyLane take() {
    CopyLane lane;
    synchronized (idle) {
      lane = idle.pollLast();
    }
    return lane == null ? CopyLane.open(calls) : lane;
  }

  /** Gives one back in which nothing goes on any more. */
  void give(CopyLane lane) {
    synchronized (idle) {
      idle.addLast(lane);
    }
  }
}
