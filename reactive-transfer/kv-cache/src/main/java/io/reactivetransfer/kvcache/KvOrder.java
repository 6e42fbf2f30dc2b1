package io.reactivetransfer.kvcache;

import io.reactivetransfer.Access;
import io.reactivetransfer.MemorySlice;
import io.reactivetransfer.Peer;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Objects;

/**
 * What decode asks a prefill node for.
 *
 * @param prefill who shall compute and write
 * @param pages how many pages of each layer, at least 1
 * @param tail where the tail goes, for instance the last hidden state; its region is open to remote
 *     writes. Leave it alone until the hand-over has settled
 * @param deadline how long to wait until all has arrived, 1 ms to 24 days
 * @param body the application's own bytes, such as the prompt; at most 65,535, and what fits into a
 *     message
 */
public record KvOrder(
    Peer prefill, int pages, MemorySlice tail, Duration deadline, ByteBuffer body) {

  /** Checks the numbers, and keeps a view of the body of its own. */
  public KvOrder {
    Objects.requireNonNull(prefill, "prefill");
    Objects.requireNonNull(tail, "tail");
    Objects.requireNonNull(deadline, "deadline");
    Objects.requireNonNull(body, "body");
    if (pages < 1) {
      throw new IllegalArgumentException("expected to order 1 or more pages, got " + pages);
    }
    if (!tail.region().access().allowsRemoteWrite()) {
      throw new IllegalArgumentException(
          "expected a tail in a region registered with "
              + Access.REMOTE_WRITE
              + ", got "
              + tail.region().access());
    }
    if (deadline.toMillis() < 1 || deadline.toMillis() > Integer.MAX_VALUE) {
      throw new IllegalArgumentException("expected a deadline of 1 ms to 24 days, got " + deadline);
    }
    OldCodec.requireBody(body);
    body = body.slice().asReadOnlyBuffer();
  }

  /** An order without a body. */
  public static KvOrder of(Peer prefill, int pages, MemorySlice tail, Duration deadline) {
    return new KvOrder(prefill, pages, tail, deadline, ByteBuffer.allocate(0));
  }

  @Override
  public ByteBuffer body() {
    return body.duplicate();
  }
}
