package io.reactivetransfer.engine.peers;

import java.nio.ByteBuffer;

/**
 * A message of which not all has come. What it takes of memory is counted in the room of those that
 * wait. Belongs to the NIC thread.
 */
final class HalfMessage {

  private final InboxRoom room;
  private final int channel;
  private final int length;
  private byte[] bytes;
  private int arrived;

  /**
   * Begins.
   *
   * @param length how long it will be
   * @param first how long its first part is
   */
  HalfMessage(InboxRoom room, int channel, int length, int first) {
    this.room = room;
    this.channel = channel;
    this.length = length;
    bytes = room.allocate(first);
    room.begin(channel, first);
  }

  /** How much of it is still to come. */
  int missing() {
    return length - arrived;
  }

  /** The next part has come. */
  void add(ByteBuffer part) {
    int count = part.remaining();
    int before = bytes.length;
    bytes = withRoom(arrived + count);
    room.grow(channel, bytes.length - before);
    part.get(bytes, arrived, count);
    arrived += count;
  }

  /**
   * It takes no more than twice the memory of what has come of it: what is still to come, its
   * sender has only announced. The memory fits exactly when the message is complete.
   */
  private byte[] withRoom(int needed) {
    if (needed <= bytes.length) {
      return bytes;
    }
    byte[] longer = room.allocate(heldFor(needed));
    System.arraycopy(bytes, 0, longer, 0, arrived);
    return longer;
  }

  private int heldFor(int needed) {
    return needed <= bytes.length
        ? bytes.length
        : Math.min(length, Math.max(needed, 2 * bytes.length));
  }

  /** How much more of memory it takes once so many bytes more have come. */
  int growth(int count) {
    return heldFor(arrived + count) - bytes.length;
  }

  /** What it takes of memory. */
  int held() {
    return bytes.length;
  }

  /** All of it, once nothing is missing. */
  byte[] bytes() {
    return bytes;
  }

  /** What is missing does not come any more. */
  void interrupted() {
    room.take(channel, bytes.length);
  }

  /** Whether others than its sender wait for room. */
  boolean isInTheWay(Mail sender) {
    return room.isAwaited(sender);
  }
}
