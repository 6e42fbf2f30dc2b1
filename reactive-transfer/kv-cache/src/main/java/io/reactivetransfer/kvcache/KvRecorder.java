package io.reactivetransfer.kvcache;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Is told of what becomes of orders and requests of a {@link KvCache}: a few calls for each, and
 * none for a page, a layer or a write. What hands figures on to a monitoring system stands on it.
 * Set by {@link KvCacheOptions.Builder#recorder}; more methods may join, which do nothing unless
 * they are overridden. One object may serve several.
 *
 * <p>Called on the thread on which it happens: a caller's, one of the engine's signal scheduler or
 * of the timers, several of them at once. It must neither block nor take long, for a hand-over
 * waits meanwhile. What it throws is logged, some lines at a time, and ends nothing. Where several
 * threads bring things about at the same moment, such as a cancel and an arrival, they may be told
 * in another order.
 */
public interface KvRecorder {

  /** Does nothing, and costs nothing. */
  KvRecorder NONE = new KvRecorder() {};

  /** It has opened, and reads no messages yet: the first that is told of it. */
  default void opened(KvCache cache) {}

  /** It was disposed of, or its engine has closed, and all that ran has ended. */
  default void closed(KvCache cache) {}

  /** It has this decode side from now on. */
  default void decodeOpened(KvDecode decode) {}

  /** It has this prefill side from now on. */
  default void prefillOpened(KvPrefill prefill) {}

  /**
   * An order was subscribed to and begins; its end will be told. One that does not fit, or comes
   * too late, is an error at once and not told of; each attempt of a {@link KvRouter} is an order.
   */
  default void orderBegun(KvDecode decode) {}

  /**
   * An order has come to its end: all has arrived, or it ended early. Whose it was hears it next.
   */
  default void orderEnded(KvDecode decode, OrderEnd end) {}

  /**
   * The pages of an order that had ended early are their owner's again: until then it was {@link
   * KvDecode#held() held}.
   */
  default void pagesBack(KvDecode decode) {}

  /** A request was read, fits, and waits from now on until it is taken. */
  default void requestQueued(KvPrefill prefill) {}

  /** A request waits no more: it was taken, or it is over. */
  default void requestDequeued(KvPrefill prefill, QueueEnd end) {}

  /** A request has come to its end, whether it was answered or not. */
  default void requestEnded(KvPrefill prefill, RequestEnd end) {}

  /**
   * A request, or the question that comes before the first one, was refused when it was read: there
   * is no such model, it does not fit, it speaks another version, or there is no room for it.
   */
  default void requestRejected(KvCache cache) {}

  /**
   * One that tells this recorder everything, and then another one, on the same thread, also where
   * this one throws: what was thrown last is thrown when both were told. Who is told already is not
   * told twice.
   *
   * @param next such as one that shows meters
   */
  default KvRecorder andThen(KvRecorder next) {
    return KvRecorderChain.of(this, next);
  }

  /** How an order has ended, on the decode side. It does not change any more. */
  interface OrderEnd {

    /** From the subscription to the last arrival, or to the early end. */
    Duration duration();

    /** From the subscription to the first arrival; null if the order ended early. */
    @Nullable Duration untilFirst();

    /** Pages that were ordered; 0 if only a tail was. */
    int pages();

    /**
     * Bytes that have arrived: of all heads of all tokens in all layers of this side, and of the
     * tail as it was ordered, of which prefill may have filled less. 0 if the order ended early.
     */
    long bytes();

    /**
     * What it failed with: a {@link HandOverException}, or what the order's own {@code onLayer} has
     * thrown. Null if all arrived, or if it was cancelled.
     */
    @Nullable Throwable failure();

    /** Whether it was cancelled here, before all had arrived. */
    boolean isCancelled();
  }

  /** How a request has stopped waiting, on the prefill side. It does not change any more. */
  interface QueueEnd {

    /** Since it was read. */
    Duration waited();

    /**
     * Whether the application has got it. If not, it is over: it was cancelled or is late, its
     * decode node is lost, or prefill takes no more.
     */
    boolean isTaken();
  }

  /** How a request has ended, on the prefill side. It does not change any more. */
  interface RequestEnd {

    /** From when it was read to its end. */
    Duration duration();

    /** Bytes that were written, at the engine's completion level; also before an early end. */
    long bytes();

    /**
     * How much of the hand-over computing did not hide: from when the finished layers completed,
     * which were given to {@link KvPrefill#handOver}, until all was done. Layers are taken as the
     * engine has room for them; so it is less than the truth where a publisher that waits for
     * demand was not asked for its last layers in time. Null if not all was handed over, or if no
     * layers were wanted.
     */
    @Nullable Duration exposed();

    /** Why it ended; null if all was handed over. */
    HandOverException.@Nullable Reason reason();
  }
}
