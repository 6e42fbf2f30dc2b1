package io.reactivetransfer.simulation;

import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Operators;

/**
 * A subscriber that holds the publisher to the rules: no more than was asked for, one terminal
 * signal, nothing after it nor after a cancel, and all of it on the signal scheduler.
 */
class Probe<T> implements CoreSubscriber<T> {

  /** Asks for all there is. */
  static final long ALL = Long.MAX_VALUE;

  final Node node;
  final String what;
  final int number;
  private final boolean mustEnd;
  private final Referee referee;
  private final long firstDemand;
  private @Nullable Subscription subscription;
  private long requested;
  private long received;
  private boolean ended;
  private boolean cancelled;

  /**
   * Is counted by the engine's owner at once.
   *
   * @param mustEnd whether it must come to its end on its own
   * @param firstDemand what is asked for on subscribe
   */
  Probe(Node node, String what, boolean mustEnd, long firstDemand) {
    this.node = node;
    this.what = what;
    this.mustEnd = mustEnd;
    this.referee = node.world().referee();
    this.firstDemand = firstDemand;
    this.number = node.world().enter(this);
  }

  Probe(Node node, String what, boolean mustEnd) {
    this(node, what, mustEnd, ALL);
  }

  // ---- what its maker wants to know ----

  /** Whether it must come to its end on its own. */
  boolean mustEnd() {
    return mustEnd;
  }

  /** An element came. */
  void next(T value) {}

  /** The end came; an error or null. */
  void end(@Nullable Throwable error) {}

  // ---- what its maker does ----

  void request(long n) {
    Subscription source = subscription;
    if (source != null && !isOver()) {
      requested = Operators.addCap(requested, n);
      source.request(n);
    }
  }

  void cancel() {
    Subscription source = subscription;
    if (source != null && !isOver()) {
      cancelled = true;
      referee.note(node.index(), "cancel " + what, number);
      source.cancel();
    }
  }

  boolean isOver() {
    return ended || cancelled;
  }

  boolean isCancelled() {
    return cancelled;
  }

  long requested() {
    return requested;
  }

  long received() {
    return received;
  }

  // ---- what the publisher does ----

  @Override
  public void onSubscribe(Subscription source) {
    if (subscription != null) {
      referee.violated(this + " was subscribed twice (2.12)");
      return;
    }
    subscription = source;
    if (firstDemand > 0) {
      request(firstDemand);
    }
  }

  @Override
  public void onNext(T value) {
    referee.note(node.index(), "next " + what, number);
    received++;
    referee.require(!isOver(), this + " got an element after its end");
    referee.require(received <= requested, this + " got more than it asked for (1.1)");
    requireSignalThread();
    if (!isOver()) {
      next(value);
    }
  }

  @Override
  public void onError(Throwable error) {
    finish(error);
  }

  @Override
  public void onComplete() {
    finish(null);
  }

  private void finish(@Nullable Throwable error) {
    referee.note(
        node.index(),
        error == null ? "complete " + what : "error " + what + ": " + error.getMessage(),
        number);
    referee.require(!ended, this + " got a second terminal signal");
    referee.require(!cancelled, this + " got a terminal signal after it had cancelled");
    requireSignalThread();
    if (!isOver()) {
      ended = true;
      end(error);
    }
  }

  private void requireSignalThread() {
    referee.require(
        node.scheduler().isRunning() || node.isActing(),
        this + " got a signal outside of the signal scheduler");
  }

  @Override
  public String toString() {
    return what + " " + number + " of engine " + node.index();
  }
}
