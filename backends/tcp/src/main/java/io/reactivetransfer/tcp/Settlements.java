package io.reactivetransfer.tcp;

import io.netty.buffer.ByteBuf;
import io.reactivetransfer.control.socket.Failure;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * What became of the writes that came on one connection, in their order, as far as the other side
 * was not told: that so many are settled, and which of them were refused.
 */
final class Settlements {

  /**
   * An engine has no more writes out on a NIC than that: as long as it waits for room itself, it is
   * read, so that two that refuse each other's writes do not wait for one another.
   */
  static final int MAX_REFUSED = 1 << 16;

  private record Refused(long number, Failure why) {}

  private final ArrayDeque<Refused> refused = new ArrayDeque<>();
  private long settled;
  private long said;

  /** The next write in order is in memory, and was reported. */
  void settle() {
    settled++;
  }

  /** The next write in order did not come in. */
  void refuse(Failure why) {
    refused.add(new Refused(++settled, why));
  }

  /** Whether the other side does not know all. */
  boolean hasNews() {
    return said < settled;
  }

  /** Whether nothing more may come in before the other side has read some of it. */
  boolean isFull() {
    return refused.size() >= MAX_REFUSED;
  }

  /** Room for the next frame that tells the other side. */
  int nextBytes() {
    return nextRefused() == null ? Wire.ACK_BYTES : Wire.NACK_BYTES + Wire.MAX_TEXT_BYTES;
  }

  /** That frame. */
  void putNext(ByteBuf out) {
    Refused next = nextRefused();
    if (next != null) {
      refused.remove();
      said = next.number;
      Wire.putNack(out, next.number, next.why);
    } else {
      said = refused.isEmpty() ? settled : refused.element().number - 1;
      Wire.putAck(out, said);
    }
  }

  /** What is refused next, once all before it is acknowledged. */
  private @Nullable Refused nextRefused() {
    Refused next = refused.peek();
    return next != null && next.number == said + 1 ? next : null;
  }
}
