package io.reactivetransfer.tcp;

import io.reactivetransfer.control.socket.ProtocolException;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The writes of one connection that the target has not settled, in order; checks what it claims
 * about them. A target that acknowledged a write whose bytes are still being read from the source
 * would have that memory taken for free.
 */
final class InFlight {

  private static final int FIRST_CAPACITY = 64;

  private final LongConsumer gone;

  /** Rings; number n of the connection lies at n modulo their length, which is a power of two. */
  private long[] tokens = new long[FIRST_CAPACITY];

  private @Nullable MemoryView[] payloads = new @Nullable MemoryView[FIRST_CAPACITY];
  private long sent;
  private long settled;

  /**
   * For one connection.
   *
   * @param gone is given each write that the target has settled, but whose source was freed before:
   *     then nobody knows what was sent
   */
  InFlight(LongConsumer gone) {
    this.gone = gone;
  }

  /**
   * Remembers a write.
   *
   * @param payload what is released when the socket has taken it, or null; nobody else uses it
   *     again before the write is settled
   */
  void add(long token, @Nullable MemoryView payload) {
    if (sent - settled == tokens.length) {
      grow();
    }
    int at = (int) sent++ & tokens.length - 1;
    tokens[at] = token;
    payloads[at] = payload;
  }

  private void grow() {
    int capacity = tokens.length * 2;
    long[] moreTokens = new long[capacity];
    @Nullable MemoryView[] morePayloads = new @Nullable MemoryView[capacity];
    for (long number = settled; number < sent; number++) {
      moreTokens[(int) number & capacity - 1] = tokens[(int) number & tokens.length - 1];
      morePayloads[(int) number & capacity - 1] = payloads[(int) number & tokens.length - 1];
    }
    tokens = moreTokens;
    payloads = morePayloads;
  }

  /** The target has settled so many writes of the connection; it may say so more than once. */
  void settleUpTo(long count, LongConsumer done) {
    if (count < 0 || count > sent) {
      throw new ProtocolException(
          "expected it to acknowledge at most "
              + sent
              + " writes, got "
              + Long.toUnsignedString(count));
    }
    while (settled < count) {
      MemoryView payload = payloads[(int) settled & tokens.length - 1];
      LongConsumer told = payload == null || payload.isAlive() ? done : gone;
      told.accept(settleNext());
    }
  }

  /** The target has refused this write; its token. */
  long refuse(long number) {
    if (settled == sent) {
      throw new ProtocolException(
          "expected it to refuse a write that is out, and none is, got a refusal of write "
              + Long.toUnsignedString(number));
    }
    if (number != settled + 1) {
      throw new ProtocolException(
          "expected it to refuse write "
              + (settled + 1)
              + ", got "
              + Long.toUnsignedString(number));
    }
    return settleNext();
  }

  /** Forgets a write of which nothing was sent: the others move up. */
  void withdraw(long token) {
    long number = sent - 1;
    while (tokens[(int) number & tokens.length - 1] != token) {
      number--;
      if (number < settled) {
        throw new IllegalStateException("expected a write that is in flight");
      }
    }
    for (; number < sent - 1; number++) {
      int at = (int) number & tokens.length - 1;
      int behind = (int) (number + 1) & tokens.length - 1;
      tokens[at] = tokens[behind];
      payloads[at] = payloads[behind];
    }
    sent--;
    payloads[(int) sent & tokens.length - 1] = null;
  }

  /** Whether there was any. */
  boolean hasSent() {
    return sent > 0;
  }

  /** Whether one is not settled. */
  boolean hasAny() {
    return settled < sent;
  }

  /** Whether the source of one of them was freed. */
  boolean hasGone() {
    for (long number = settled; number < sent; number++) {
      MemoryView payload = payloads[(int) number & tokens.length - 1];
      if (payload != null && !payload.isAlive()) {
        return true;
      }
    }
    return false;
  }

  /** Nothing will be settled any more. */
  void drain(LongConsumer lost) {
    while (settled < sent) {
      int at = (int) settled++ & tokens.length - 1;
      payloads[at] = null;
      lost.accept(tokens[at]);
    }
  }

  private long settleNext() {
    int at = (int) settled & tokens.length - 1;
    MemoryView payload = payloads[at];
    if (payload != null && payload.refCnt() > 0) {
      throw new ProtocolException(
          "expected it to settle writes that were sent, got one before that");
    }
    payloads[at] = null;
    settled++;
    if (payload != null) {
      payload.recycle();
    }
    return tokens[at];
  }
}
