package io.reactivetransfer.kvcache;

import io.reactivetransfer.EngineId;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How much room the requests take up that wait at a prefill node. When it is full no more are read:
 * they wait at their senders, and nobody is refused for that. Who sends more of one model than the
 * protocol lets one decode node have out is refused what is beyond that: so no node alone can keep
 * the others out. Not for several threads at once.
 */
final class WaitingRoom {

  /** Requests that are kept until they are taken; more wait at their senders, for credit. */
  static final int MAX_REQUESTS = 4_096;

  /** Those of one decode node for one model, which has no more than that out. */
  static final int MAX_OF_ONE = 512;

  /** And so many bytes of them; but one may always wait, however long it is. */
  static final long BYTES_OF_ONE = 8L << 20;

  private record Whose(EngineId decode, String model) {}

  private final long maxBytes;
  private final Map<Whose, Share> shares = new HashMap<>();
  private int requests;
  private long bytes;

  /** What waits of one decode node for one model. */
  private static final class Share {
    int requests;
    long bytes;
  }

  /**
   * An empty one.
   *
   * @param maxBytes of all messages that wait; the one that fills it may be beyond that
   */
  WaitingRoom(long maxBytes) {
    this.maxBytes = maxBytes;
  }

  /** Whether no more are to be read. */
  boolean isFull() {
    return requests >= MAX_REQUESTS || bytes >= maxBytes;
  }

  /**
   * A request is to wait.
   *
   * @return null if it may, and has its room then; otherwise why not
   */
  @Nullable String enter(EngineId decode, String model, long length) {
    Whose whose = new Whose(decode, model);
    Share share = shares.get(whose);
    if (share != null && (share.requests >= MAX_OF_ONE || length > BYTES_OF_ONE - share.bytes)) {
      return "expected at most "
          + MAX_OF_ONE
          + " requests and "
          + BYTES_OF_ONE
          + " bytes of one decode node and one model to wait at this prefill node, got "
          + length
          + " bytes more beside "
          + share.requests
          + " requests of "
          + share.bytes
          + "; a decode node sends the rest when it has heard of these";
    }
    if (share == null) {
      share = new Share();
      shares.put(whose, share);
    }
    share.requests++;
    share.bytes += length;
    requests++;
    bytes += length;
    return null;
  }

  /** One that had room does not wait any more. */
  void leave(EngineId decode, String model, long length) {
    Whose whose = new Whose(decode, model);
    Share share = shares.get(whose);
    if (share == null) {
      throw new IllegalStateException("expected a request that waits, got one that does not");
    }
    share.bytes -= length;
    bytes -= length;
    requests--;
    if (--share.requests == 0) {
      shares.remove(whose);
    }
  }
}
