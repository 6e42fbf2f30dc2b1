package io.reactivetransfer.cuda;

import io.reactivetransfer.cuda.ffi.Libcuda;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * The lanes of one GPU that nobody copies through just now: as many as have been needed at once.
 * They stay, since the driver would wait for all streams of the GPU to unpin their memory. Safe
 * from any thread.
 */
final class CopyLanes {

  private final Libcuda calls;
  private final Deque<CopyLane> idle = new ArrayDeque<>();

  /** Their memory would be freed otherwise, and the GPU may use it. */
  private final List<CopyLane> lost = new ArrayList<>();

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

  /**
   * Gives one back.
   *
   * @param isDone whether all went well that was begun in it; if not, it is waited for
   */
  void give(CopyLane lane, boolean isDone) {
    boolean isQuiet = isDone || lane.isQuiet();
    synchronized (idle) {
      if (isQuiet) {
        idle.addLast(lane);
      } else {
        lost.add(lane);
      }
    }
  }
}
