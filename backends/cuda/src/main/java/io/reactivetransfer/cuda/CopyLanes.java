package io.reactivetransfer.cuda;

import java.util.ArrayDeque;
import java.util.Deque;

/**
 * The lanes of one GPU that nobody copies through just now: as many as have been needed at once.
 * They stay, since the driver would wait for all streams of the GPU to unpin their memory. Safe
 * from any thread.
 */
final class CopyLanes {

  private final CudaBuffers buffers;
  private final Deque<CopyLane> idle = new ArrayDeque<>();

  CopyLanes(CudaBuffers buffers) {
    this.buffers = buffers;
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
    return lane == null ? CopyLane.open(buffers) : lane;
  }

  /**
   * Gives one back.
   *
   * @param isDone whether all went well that was begun in it; if not, it is waited for, and the
   *     half that is of use is kept for another one
   * @return whether all is over that was begun in it, for all that is known
   */
  boolean give(CopyLane lane, boolean isDone) {
    if (!isDone && !lane.isQuiet()) {
      boolean isOver = lane.isOver(); // asked before the other half is somebody else's
      lane.giveHalves(buffers);
      return isOver;
    }
    synchronized (idle) {
      idle.addLast(lane);
    }
    return true;
  }
}
