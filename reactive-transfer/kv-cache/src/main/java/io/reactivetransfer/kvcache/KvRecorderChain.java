package io.reactivetransfer.kvcache;

import java.util.Objects;

/** Two recorders, the first of which may be such a pair itself. */
final class KvRecorderChain implements KvRecorder {

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
  public void prefillOpened(KvPrefill prefill) {
    try {
      first.prefillOpened(prefill);
    } finally {
      next.prefillOpened(prefill);
    }
  }

  @Override
  public void orderBegun(KvDecode decode) {
    try {
      first.orderBegun(decode);
    } finally {
      next.orderBegun(decode);
    }
  }

  @Override
  public void orderEnded(KvDecode decode, OrderEnd end) {
    try {
      first.orderEnded(decode, end);
    } finally {
      next.orderEnded(decode, end);
    }
  }

  @Override
  public void pagesBack(KvDecode decode) {
    try {
      first.pagesBack(decode);
    } finally {
      next.pagesBack(decode);
    }
  }

  @Override
  public void requestQueued(KvPrefill prefill) {
    try {
      first.requestQueued(prefill);
    } finally {
      next.requestQueued(prefill);
    }
  }

  @Override
  public void requestDequeued(KvPrefill prefill, QueueEnd end) {
    try {
      first.requestDequeued(prefill, end);
    } finally {
      next.requestDequeued(prefill, end);
    }
  }

  @Override
  public void requestEnded(KvPrefill prefill, RequestEnd end) {
    try {
      first.requestEnded(prefill, end);
    } finally {
      next.requestEnded(prefill, end);
    }
  }

  @Override
  public void requestRejected(KvCache cache) {
    try {
      first.requestRejected(cache);
    } finally {
      next.requestRejected(cache);
    }
  }
}
