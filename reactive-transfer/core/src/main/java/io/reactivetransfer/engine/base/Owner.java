package io.reactivetransfer.engine.base;

import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Who may touch what the NIC thread owns: that thread within its turns, and when it has ended, who
 * holds the lock that follows it. Whatever is owned asserts it, which costs nothing in production.
 */
public final class Owner {

  private final ReentrantLock afterEnd = new ReentrantLock();
  private @Nullable Thread turning;
  private boolean begun;

  /** From now on, not everyone may. */
  void begin() {
    begun = true;
  }

  /** A turn begins. */
  public void enter() {
    turning = Thread.currentThread();
  }

  /** A turn ends. */
  public void leave() {
    turning = null;
  }

  /**
   * Whether the caller is called within a turn. From any thread, without a fence: no thread can see
   * itself there unless it is, and has written that itself.
   */
  public boolean inTurn() {
    return Thread.currentThread().equals(turning);
  }

  /** Whether the caller may. For assertions. */
  public boolean isCurrent() {
    return inTurn() || afterEnd.isHeldByCurrentThread() || !begun;
  }

  /** What is taken when there are no turns any more. */
  ReentrantLock afterEnd() {
    return afterEnd;
  }
}
