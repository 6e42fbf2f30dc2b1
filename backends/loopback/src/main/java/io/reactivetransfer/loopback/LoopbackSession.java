package io.reactivetransfer.loopback;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * What two control channels share while they talk with each other. Each direction has room for a
 * number of messages that were not taken. Safe from any thread.
 */
final class LoopbackSession {

  /** One direction. */
  private static final class Lane {
    private final AtomicInteger untaken = new AtomicInteger();
    private volatile boolean refused;
  }

  static final int DEPTH = 64;

  private final LoopbackControl one;
  private final LoopbackControl other;
  private final Lane fromOne = new Lane();
  private final Lane fromOther = new Lane();

  LoopbackSession(LoopbackControl one, LoopbackControl other) {
    this.one = one;
    this.other = other;
  }

  LoopbackControl beyond(LoopbackControl side) {
    return side == one ? other : one;
  }

  /** Takes a message over from this side, unless it has too many on their way. */
  boolean offer(LoopbackControl from, byte[] bytes) {
    Lane lane = lane(from);
    if (!hasRoom(lane)) {
      lane.refused = true;
      if (!hasRoom(lane)) {
        return false; // who takes one from now on sees the mark, and rings
      }
    }
    lane.untaken.incrementAndGet();
    beyond(from).tell(new ControlEvent.Received(this, bytes));
    return true;
  }

  /** A message of this side was taken at the other one. */
  void taken(LoopbackControl from) {
    Lane lane = lane(from);
    lane.untaken.decrementAndGet();
    if (lane.refused) {
      lane.refused = false;
      from.ring();
    }
  }

  private static boolean hasRoom(Lane lane) {
    return lane.untaken.get() < DEPTH;
  }

  private Lane lane(LoopbackControl from) {
    return from == one ? fromOne : fromOther;
  }
}
