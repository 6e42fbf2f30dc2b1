package io.reactivetransfer.kvcache;

import io.reactivetransfer.TraceContext;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import reactor.util.context.Context;
import reactor.util.context.ContextView;

/**
 * Is told of what becomes of orders and requests of a {@link KvCache}: a few calls for each, and
 * none for a page, a layer or a write. What hands figures and traces on to a monitoring system
 * stands on it. Set by {@link KvCacheOptions.Builder#recorder}; more methods may join, which do
 * nothing unless they are overridden. One object may serve several.
 *
 * <p>What begins has a recorder of its own from then on, which is told of the rest: so beginnings
 * and ends that belong together are those of one object, and what one operation is told comes one
 * after the other. Otherwise, where several threads bring things about at the same moment, such as
 * a cancel and an arrival, they may be told in another order.
 *
 * <p>Called on the thread on which it happens: a caller's, one of the engine's signal scheduler or
 * of the timers, several of them at once. It must neither block nor take long, for a hand-over
 * waits meanwhile. What it throws, or returns null instead of, is logged, some lines at a time, and
 * ends nothing.
 */
public interface KvRecorder {

  /** Does nothing, and costs nothing. */
  KvRecorder NONE = new KvRecorder() {};

  /** It has opened, and reads no messages yet: the first that is told of it. */
  default void opened(KvCache cache) {}

  /**
   * It was disposed of, or its engine has closed, and all that ran has ended; what ended at that
   * very moment may be told a moment later.
   */
  default void closed(KvCache cache) {}

  /** It has this decode side from now on. */
  default void decodeOpened(KvDecode decode) {}

  /**
   * A decode side has ended: as {@link KvDecode#closed()} says, whether what it had registered
   * could be closed or not.
   */
  default void decodeClosed(KvDecode decode) {}

  /**
   * It has this prefill side from now on. When that is disposed of, what it has taken goes on: so
   * its end is that of its {@link KvCache}.
   */
  default void prefillOpened(KvPrefill prefill) {}

  /**
   * An order was subscribed to and begins. One that does not fit, or comes too late, is an error at
   * once and not told of; each attempt of a {@link KvRouter} is an order.
   *
   * @return who is told of the rest of it; {@link OrderRecorder#NONE} for nobody
   */
  default OrderRecorder orderBegun(OrderBegin begin) {
    return OrderRecorder.NONE;
  }

  /**
   * A request was read, fits, and waits from now on until it is taken.
   *
   * @return who is told of the rest of it; {@link RequestRecorder#NONE} for nobody
   */
  default RequestRecorder requestQueued(RequestBegin begin) {
    return RequestRecorder.NONE;
  }

  /**
   * A request, or the question that comes before the first one, was refused when it was read: there
   * is no such model, it does not fit, it speaks another version, or there is no room for it.
   */
  default void requestRejected(KvCache cache) {}

  /**
   * One that tells this recorder everything, and then another one, on the same thread, also where
   * this one throws: what was thrown last is thrown when both were told, and what is thrown where
   * something is to be returned is logged. Who is told already is not told twice. Of two that send
   * a trace context along, or add the same to a context, the first one's counts.
   *
   * @param next such as one that shows meters
   */
  default KvRecorder andThen(KvRecorder next) {
    return KvRecorderChain.of(this, next);
  }

  /**
   * Is told of one order, by one call after the other: {@link #ended}, and then {@link #pagesBack}
   * if it ended early. More methods may join, which do nothing unless they are overridden.
   */
  interface OrderRecorder {

    /** Does nothing. */
    OrderRecorder NONE = new OrderRecorder() {};

    /**
     * What goes with the request to each prefill node of this order, so that what they do becomes a
     * part of the same trace; nothing unless it is overridden. Asked once, at once. Left out of a
     * request that would be longer with it than this node's own limit.
     */
    default TraceContext traceContext() {
      return TraceContext.NONE;
    }

    /** It has come to its end: all has arrived, or it ended early. Whose it was hears it next. */
    default void ended(OrderEnd end) {}

    /**
     * It had ended early, and its pages are their owner's again: until then it was {@link
     * KvDecode#held() held}.
     */
    default void pagesBack() {}
  }

  /**
   * Is told of one request, by one call after the other: {@link #dequeued}, and then {@link
   * #ended}. More methods may join, which do nothing unless they are overridden.
   */
  interface RequestRecorder {

    /** Does nothing. */
    RequestRecorder NONE = new RequestRecorder() {};

    /**
     * Adds to the context of Reactor in which the application's code serves the request, such as
     * what its own operations are to be parts of; nothing unless it is overridden. Asked before
     * {@link KvPrefill#serve} calls the handler, and where the end comes at that moment also while
     * that is told, or behind it; not of a request that {@link KvPrefill#requests()} has emitted.
     *
     * @param seen the context of whoever has subscribed to {@link KvPrefill#serve}
     */
    default Context context(Context seen) {
      return seen;
    }

    /** It waits no more: it was taken, or it is over. */
    default void dequeued(QueueEnd end) {}

    /** It has come to its end, whether it was answered or not. */
    default void ended(RequestEnd end) {}
  }

  /** An order that begins, on the decode side. */
  interface OrderBegin {

    /** Whose it is. */
    KvDecode decode();

    /** What is wanted, and of whom. */
    KvOrder order();

    /** The context of Reactor of whoever has subscribed. */
    ContextView context();
  }

  /** A request that waits to be taken, on the prefill side. */
  interface RequestBegin {

    /** Who is to serve it. */
    KvPrefill prefill();

    /** What is wanted, and by whom; the application's to answer. */
    KvRequest request();

    /**
     * What the {@linkplain OrderRecorder#traceContext() recorder of the order} has sent along;
     * empty if that was nothing. Whoever sent the request can have sent any fields.
     */
    TraceContext traceContext();
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
    @Nullable HandOverException failure();
  }
}
