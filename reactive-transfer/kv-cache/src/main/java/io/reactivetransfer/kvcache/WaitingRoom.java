package io.reactivetransfer.kvcache;

import io.reactivetransfer.EngineId;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * How much room the requests take up that wait at a prefill node. When it is full no more are read:
 * they wait at their senders, and nobody is refused for that. Who sends more of one model than the
 * protocol lets one decode node have out is refused what is beyond that: so no node alone can keep
 * the others out. Requests for models that nobody reads may fill half of it and are refused beyond
 * that, since nobody can say when they would make room. Not for several threads at once.
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
  private final Predicate<String> isRead;
  private final Map<Whose, Share> shares = new HashMap<>();
  private final Map<String, Share> models = new HashMap<>();
  private final Share all = new Share();

  /** What waits of one decode node for one model, or of some of them together. */
  private static final class Share {
    int requests;
    long bytes;

    void add(int more, long length) {
      requests += more;
      bytes += length;
    }

    boolean isAt(int maxRequests, long maxBytes) {
      return requests >= maxRequests || bytes >= maxBytes;
    }
  }

  /**
   * An empty one.
   *
   * @param maxBytes of all messages that wait; the one that fills it may be beyond that
   * @param isRead whether somebody takes requests for this model at the moment
   */
  WaitingRoom(long maxBytes, Predicate<String> isRead) {
    this.maxBytes = maxBytes;
    this.isRead = isRead;
  }

  /** Whether no more are to be read. */
  boolean isFull() {
    return all.isAt(MAX_REQUESTS, maxBytes);
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
    String unread = isRead.test(model) ? null : unread(model);
    if (unread == null) {
      shares.computeIfAbsent(whose, any -> new Share()).add(1, length);
      models.computeIfAbsent(model, any -> new Share()).add(1, length);
      all.add(1, length);
    }
    return unread;
  }

  /** Why a request for a model that nobody reads may not wait; null if it may. */
  private @Nullable String unread(String model) {
    Share unread = new Share();
    models.forEach((name, share) -> {
      if (!isRead.test(name)) {
        unread.add(share.requests, share.bytes);
      }
    });
    if (!unread.isAt(MAX_REQUESTS / 2, Math.max(1, maxBytes / 2))) {
      return null;
    }
    return "expected a model whose requests are read, got "
        + model
        + ": nobody reads them at this prefill node at the moment, and "
        + unread.requests
        + " requests of "
        + unread.bytes
        + " bytes for such models fill half of the room already";
  }

  /** One that had room does not wait any more. */
  void leave(EngineId decode, String model, long length) {
    Whose whose = new Whose(decode, model);
    Share share = shares.get(whose);
    if (share == null) {
      throw new IllegalStateException("expected a request that waits, got one that does not");
    }
    share.add(-1, -length);
    all.add(-1, -length);
    if (share.requests == 0) {
      shares.remove(whose);
    }
    models.computeIfPresent(
        model,
        (name, ofModel) -> {
          ofModel.add(-1, -length);
          return ofModel.requests == 0 ? null : ofModel;
        });
  }
}
