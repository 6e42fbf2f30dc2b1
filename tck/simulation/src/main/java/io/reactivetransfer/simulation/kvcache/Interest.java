package io.reactivetransfer.simulation.kvcache;

import io.reactivetransfer.kvcache.KvRequest;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;

/**
 * One request that a handler was given, for as long as somebody wants it: {@code ended()} must come
 * in time, not without a reason, and what the handler returned must be stopped by then.
 */
final class Interest extends Waiter {

  private final Serving serving;
  private final Trip trip;
  private final long receivedNanos;
  private final long remainingNanos;
  private final long stoppedBefore;
  private @Nullable Handing handing;
  private boolean hangs;
  private boolean stopped;
  private long endedNanos;

  /** Of a request that has just been emitted. */
  Interest(Serving serving, Trip trip, KvRequest request) {
    super(serving.node, "request of order " + trip.number, true);
    this.serving = serving;
    this.trip = trip;
    this.receivedNanos = node.world().referee().nanos();
    this.remainingNanos = request.remaining().toNanos();
    node.world()
        .referee()
        .require(
            remainingNanos
                <= Math.min(
                    trip.plan().deadlineNanos(), node.world().forecast().maxDeadlineNanos()),
            this + " is given " + remainingNanos + " ns, which is too long");
    this.stoppedBefore = node.stoppedNanos();
    node.world().interests().add(this);
  }

  /** It is handed over by this. */
  void handedBy(Handing by) {
    handing = by;
  }

  /** What its handler returned, watched. */
  Publisher<?> watched(Publisher<?> returned, boolean hangs) {
    this.hangs = hangs;
    return Flux.from(returned).doOnTerminate(() -> stopped = true).doOnCancel(() -> stopped = true);
  }

  boolean isOf(Serving by) {
    return serving == by;
  }

  Trip trip() {
    return trip;
  }

  @Override
  void end(@Nullable Throwable failure) {
    endedNanos = node.world().referee().nanos();
    Handing by = handing;
    boolean isThrough = by != null && by.isThrough();
    node.world()
        .referee()
        .require(
            failure != null
                || isThrough
                || trip.mayHaveEnded()
                || trip.wasReclaimed()
                || !trip.pages().isWithOrder()
                || trip.ageNanos() >= trip.plan().deadlineNanos()
                || endedNanos - receivedNanos >= remainingNanos
                || trip.books().wasAnsweredBadly()
                || node.isClosing()
                || node.disposals() > 0 // it may not know what it has posted, and be shut out
                || node.world().mayFail(trip.node(), node),
            this + " has ended, and nothing is known against it");
  }

  /** What is wrong by now; null if nothing is. */
  @Nullable String complaint() {
    if (node.isKilled() || node.isClosing()) {
      return null;
    }
    long now = node.world().referee().nanos();
    long slack = node.world().forecast().slackNanos() + node.stoppedNanos() - stoppedBefore;
    if (isOver()) {
      boolean runs = hangs && !stopped && now - endedNanos > slack;
      return runs ? this + " has ended, and its handler goes on" : null;
    }
    if (now - receivedNanos > remainingNanos + slack) {
      return this + " goes on, and its time is over";
    }
    boolean toldInTime = node.world().forecast().calm();
    return toldInTime && trip.isEnded() && trip.endedForNanos() > slack
        ? this + " goes on, and nobody wants it any more"
        : null;
  }
}
