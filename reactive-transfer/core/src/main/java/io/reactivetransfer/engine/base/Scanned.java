package io.reactivetransfer.engine.base;

import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.Scannable;

/** A subscription of which Reactor's tools can see where it leads and whether it is over. */
public interface Scanned extends Subscription, Scannable {

  /** To whom it signals. */
  CoreSubscriber<?> actual();

  /** Whether it signals no more: it has ended, or was cancelled. */
  boolean isOver();

  @Override
  @SuppressWarnings("rawtypes") // as Reactor has it
  default @Nullable Object scanUnsafe(Attr key) {
    if (key.equals(Attr.ACTUAL)) {
      return actual();
    }
    if (key.equals(Attr.TERMINATED)) {
      return isOver();
    }
    return key.equals(Attr.RUN_STYLE) ? Attr.RunStyle.ASYNC : null;
  }
}
