package io.reactivetransfer.kvcache;

import io.reactivetransfer.EngineId;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How much room the requests take up that wait at a prefill node: in all so many bytes, and of one
 * decode node half of that, and an eighth of the places. So one node alone cannot keep the others
 * out. Not for several threads at once.
 */
final class WaitingRoom {

  /** Requests that are kept until they are taken; more wait at their senders, for credit. */
  static final int MAX_REQUESTS = 4_096;

  /** Those of one decode node, which has no more than that out. */
  static final int MAX_OF_ONE = 512;

  private final long maxBytes;
  private final Map<EngineId, Share> shares = new HashMap<>();
  private long bytes;

  /** What waits of one decode node. */
  private static final class Share {
    int requests;
    long bytes;
  }

  /**
   * An empty one.
   *
   * @param maxBytes of all messages that wait
   */
  WaitingRoom(long maxBytes) {
    this.maxBytes = maxBytes;
  }

  /**
   * A request is to wait. One alone always may, however long it is.
   *
   * @return null if there is room, which it has then; otherwise why not
   */
  @Nullable String enter(EngineId decode, long length) {
    Share share = shares.get(decode);
    if (bytes > 0 && length > maxBytes - bytes) {
      return "expected requests of at most "
          + maxBytes
          + " bytes to wait at this prefill node, got "
          + length
          + " more beside "
          + bytes
          + "; order later, or elsewhere";
    }
    if (share != null && length > maxBytes / 2 - share.bytes) {
      return "expected requests of at most "
          + maxBytes / 2
          + " bytes of one decode node to wait at this prefill node, got "
          + length
          + " more beside "
          + share.bytes
          + "; order later, or elsewhere";
    }
    if (share != null && share.requests >= MAX_OF_ONE) {
      return "expected at most "
          + MAX_OF_ONE
          + " requests of one decode node to wait at this prefill node, got one more; order later,"
          + " or elsewhere";
    }
    if (share == null) {
      share = new Share();
      shares.put(decode, share);
    }
    share.requests++;
    share.bytes += length;
    bytes += length;
    return null;
  }

  /** One that had room does not wait any more. */
  void leave(EngineId decode, long length) {
    Share share = shares.get(decode);
    if (share == null) {
      throw new IllegalStateException("expected a request that waits, got one that does not");
    }
    share.bytes -= length;
    bytes -= length;
    if (--share.requests == 0) {
      shares.remove(decode);
    }
  }
}
