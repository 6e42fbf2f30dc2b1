package io.reactivetransfer.tcp;

import io.netty.buffer.ByteBuf;
import java.util.ArrayDeque;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The writes of one connection that the target has not settled, in order; checks what it claims
 * about them. A target that acknowledged a write whose bytes are still being read from the source
 * would have that memory taken for free.
 */
final class InFlight {

  private record Sent(long token, @Nullable ByteBuf payload) {}

  private final ArrayDeque<Sent> writes = new ArrayDeque<>();
  private long settled;

  /**
   * Remembers a write.
   *
   * @param payload the unpooled buffer that is released when the socket has taken it, or null
   */
  void add(long token, @Nullable ByteBuf payload) {
    writes.add(new Sent(token, payload));
  }

  /** The target has settled so many writes of the connection. */
  void settleUpTo(long count, LongConsumer done) {
    if (count <= settled || count - settled > writes.size()) {
      throw new ProtocolException(
          "expected it to acknowledge "
              + (settled + 1)
              + " to "
              + (settled + writes.size())
              + " writes, got "
              + Long.toUnsignedString(count));
    }
    while (settled < count) {
      done.accept(settleNext());
    }
  }

  /** The target has refused this write; its token. */
  long refuse(long number) {
    if (number != settled + 1 || writes.isEmpty()) {
      throw new ProtocolException(
          "expected it to refuse write "
              + (settled + 1)
              + ", got "
              + Long.toUnsignedString(number));
    }
    return settleNext();
  }

  /** Nothing will be settled any more. */
  void drain(LongConsumer lost) {
    for (Sent sent = writes.poll(); sent != null; sent = writes.poll()) {
      lost.accept(sent.token());
    }
  }

  private long settleNext() {
    Sent sent = writes.remove();
    ByteBuf payload = sent.payload();
    if (payload != null && payload.refCnt() > 0) {
      writes.addFirst(sent);
      throw new ProtocolException(
          "expected it to settle writes that were sent, got one before that");
    }
    settled++;
    return sent.token();
  }
}
