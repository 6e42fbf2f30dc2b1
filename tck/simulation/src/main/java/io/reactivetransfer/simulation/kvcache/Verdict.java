package io.reactivetransfer.simulation.kvcache;

import io.reactivetransfer.kvcache.HandOverException;
import org.jspecify.annotations.Nullable;

/** Whether an order that did not arrive had a reason for that. */
record Verdict(Trip trip) {

  /** Looks are taken 16 times within a deadline, the first one after an eighth of it. */
  private static final int FIRST_LOOK = 9;

  /** What is missing for a reason; null if nothing is. */
  @Nullable String on(Throwable failure) {
    boolean calm = trip.node().world().forecast().calm();
    if (trip.node().isClosing() || trip.sawDisposal() || trip.isThrowing()) {
      return null;
    }
    if (!(failure instanceof HandOverException ended)) {
      return "nobody throws this";
    }
    boolean late = trip.ageNanos() >= trip.deadlineNanos() && !calm;
    boolean answered = trip.wasAnsweredBadly();
    return switch (ended.reason()) {
      case PEER_LOST -> anyDisturbed() ? null : "no session was broken";
      case DEADLINE -> late || answered ? null : "there is time left, or nothing was in the way";
      case INFEASIBLE ->
          !calm && trip.ageNanos() >= trip.deadlineNanos() / FIRST_LOOK
              ? null
              : "it is too early to say, or all goes well";
      case REFUSED ->
          late || answered || trip.isIncomplete() || trip.asksWhoWasClosed()
              ? null
              : "nobody has refused it";
      case CANCELLED -> late || answered || anyDisturbed() ? null : "nobody has cancelled it";
      case FAILED ->
          late || answered || anyFailed() || trip.wasReclaimed()
              ? null
              : "no write and no node has failed";
    };
  }

  private boolean anyDisturbed() {
    return trip.prefills().stream()
        .anyMatch(prefill -> trip.node().world().isDisturbed(trip.node(), prefill));
  }

  private boolean anyFailed() {
    return trip.prefills().stream()
        .anyMatch(prefill -> trip.node().world().mayFail(trip.node(), prefill));
  }
}
