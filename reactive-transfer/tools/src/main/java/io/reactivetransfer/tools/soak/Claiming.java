package io.reactivetransfer.tools.soak;

import io.reactivetransfer.ImmCounter;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The claim of one round. What it counts is looked at the moment it completes, on the thread that
 * tells of it; not any more when the claim was dropped, because then the memory may be used anew.
 */
final class Claiming {

  private final CompletableFuture<@Nullable Void> end;
  private boolean dropped;
  private boolean met;
  private @Nullable SoakFailure broken;

  Claiming(ImmCounter counter, long arrivals, Runnable look) {
    end = counter.next(arrivals).doOnSuccess(nothing -> met(look)).toFuture();
  }

  private synchronized void met(Runnable look) {
    if (dropped) {
      return;
    }
    met = true;
    try {
      look.run();
    } catch (SoakFailure e) {
      broken = e;
      throw e;
    }
  }

  CompletableFuture<@Nullable Void> end() {
    return end;
  }

  /** Whether all arrived while it waited. */
  synchronized boolean isMet() {
    return met;
  }

  /** Cancels it, if it still waits. */
  void drop() {
    synchronized (this) {
      dropped = true;
      if (broken != null) {
        throw broken;
      }
    }
    end.cancel(true);
  }
}
