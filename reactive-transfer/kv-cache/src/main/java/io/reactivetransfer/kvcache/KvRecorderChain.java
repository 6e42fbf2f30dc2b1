package io.reactivetransfer.kvcache;

import io.reactivetransfer.TraceContext;
import java.util.Objects;
import reactor.util.context.Context;

/** Two recorders, the first of which may be such a pair itself. */
final class KvRecorderChain implements KvRecorder {

  /** Where something is returned: what one of them throws must not cost the other one's answer. */
  private final RecorderGuard guard = new RecorderGuard();

  private final KvRecorder first;
  private final KvRecorder next;

  private KvRecorderChain(KvRecorder first, KvRecorder next) {
    this.first = first;
    this.next = next;
  }

  /** Of both, without those that do nothing, and with each that is in them once. */
  @SuppressWarnings("ReferenceEquality") // two recorders that are equal are two
  static KvRecorder of(KvRecorder first, KvRecorder next) {
    Objects.requireNonNull(next, "next");
    if (next instanceof KvRecorderChain chain) {
      return of(of(first, chain.first), chain.next);
    }
    if (next == NONE || tells(first, next)) {
      return first;
    }
    return first == NONE ? next : new KvRecorderChain(first, next);
  }

  @SuppressWarnings("ReferenceEquality")
  private static boolean tells(KvRecorder each, KvRecorder sought) {
    return each == sought
        || (each instanceof KvRecorderChain chain
            && (tells(chain.first, sought) || tells(chain.next, sought)));
  }

  @Override
  public void opened(KvCache cache) {
    try {
      first.opened(cache);
    } finally {
      next.opened(cache);
    }
  }

  @Override
  public void closed(KvCache cache) {
    try {
      first.closed(cache);
    } finally {
      next.closed(cache);
    }
  }

  @Override
  public void decodeOpened(KvDecode decode) {
    try {
      first.decodeOpened(decode);
    } finally {
      next.decodeOpened(decode);
    }
  }

  @Override
  public void decodeClosed(KvDecode decode) {
    try {
      first.decodeClosed(decode);
    } finally {
      next.decodeClosed(decode);
    }
  }

  @Override
  public void prefillOpened(KvPrefill prefill) {
    try {
      first.prefillOpened(prefill);
    } finally {
      next.prefillOpened(prefill);
    }
  }

  @Override
  public OrderRecorder orderBegun(OrderBegin begin) {
    OrderRecorder one = guard.ask("orderBegun", () -> first.orderBegun(begin), OrderRecorder.NONE);
    OrderRecorder other = guard.ask("orderBegun", () -> next.orderBegun(begin), OrderRecorder.NONE);
    return new OfOrder(guard, one, other);
  }

  @Override
  public RequestRecorder requestQueued(RequestBegin begin) {
    RequestRecorder one =
        guard.ask("requestQueued", () -> first.requestQueued(begin), RequestRecorder.NONE);
    RequestRecorder other =
        guard.ask("requestQueued", () -> next.requestQueued(begin), RequestRecorder.NONE);
    return new OfRequest(guard, one, other);
  }

  @Override
  public void requestRejected(KvCache cache) {
    try {
      first.requestRejected(cache);
    } finally {
      next.requestRejected(cache);
    }
  }

  private record OfOrder(RecorderGuard guard, OrderRecorder first, OrderRecorder next)
      implements OrderRecorder {

    @Override
    public TraceContext traceContext() {
      TraceContext one = guard.ask("traceContext", first::traceContext, TraceContext.NONE);
      TraceContext other = guard.ask("traceContext", next::traceContext, TraceContext.NONE);
      return one.isEmpty() ? other : one;
    }

    @Override
    public void ended(OrderEnd end) {
      try {
        first.ended(end);
      } finally {
        next.ended(end);
      }
    }

    @Override
    public void pagesBack() {
      try {
        first.pagesBack();
      } finally {
        next.pagesBack();
      }
    }
  }

  private record OfRequest(RecorderGuard guard, RequestRecorder first, RequestRecorder next)
      implements RequestRecorder {

    @Override
    public Context context(Context seen) {
      // The first one last, so that where both write the same, its counts.
      Context more = guard.ask("context", () -> next.context(seen), seen);
      return guard.ask("context", () -> first.context(more), more);
    }

    @Override
    public void dequeued(QueueEnd end) {
      try {
        first.dequeued(end);
      } finally {
        next.dequeued(end);
      }
    }

    @Override
    public void ended(RequestEnd end) {
      try {
        first.ended(end);
      } finally {
        next.ended(end);
      }
    }
  }
}
