package io.reactivetransfer.simulation.kvcache;

import io.reactivetransfer.Peer;
import io.reactivetransfer.kvcache.HandOverException;
import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Whether an order that did not arrive had a reason for that, with the node that it names. */
record Verdict(Trip trip, TripBooks books) {

  /** Looks are taken 16 times within a deadline, and a rate is known after an eighth of it. */
  private static final int EIGHTH = 8;

  private static final int LOOKS = 16;

  /** So many looks after the first third or half has come, the next one is in time to say so. */
  private static final int SLOW_LOOKS = 9;

  /** How a node fails. */
  private static final Set<HandOverException.Reason> NODE_FAILS =
      EnumSet.complementOf(EnumSet.of(HandOverException.Reason.INFEASIBLE));

  /** What is missing for a reason; null if nothing is. */
  @Nullable String on(Throwable failure) {
    if (trip.node().isClosing() || books.sawDisposal() || trip.plan().throwsAtLayer()) {
      return null;
    }
    if (!(failure instanceof HandOverException ended)) {
      return "nobody throws this";
    }
    Peer peer = ended.peer();
    if (peer == null) {
      return "it names nobody";
    }
    KvNode named = trip.node().world().known(peer.id());
    if (!books.prefills().contains(named)) {
      return "it names " + named + ", which was not asked";
    }
    if (!isCalledByName(named, ended)) {
      return "it does not call " + named + " by its name";
    }
    return on(ended.reason(), named);
  }

  /** Whether its one node may have failed it in any way in which another one would be asked. */
  boolean mayHaveFailed() {
    return trip.node().isClosing()
        || books.sawDisposal()
        || trip.plan().throwsAtLayer()
        || NODE_FAILS.stream().anyMatch(reason -> on(reason, books.prefills().getFirst()) == null);
  }

  private @Nullable String on(HandOverException.Reason reason, KvNode named) {
    KvWorld world = trip.node().world();
    long time = Math.min(trip.plan().deadlineNanos(), world.forecast().maxDeadlineNanos());
    boolean late = trip.ageNanos() >= time && !isCalm();
    boolean answered = books.wasAnsweredBadly(named);
    boolean disturbed = world.isDisturbed(trip.node(), named);
    return switch (reason) {
      case PEER_LOST -> disturbed ? null : "no session with it was broken";
      case DEADLINE -> books.wasLiedTo(named) ? null : deadline(named, late);
      case INFEASIBLE -> infeasible(named);
      case REFUSED ->
          late
                  || answered
                  || trip.plan().incomplete()
                  // It or another one has not the share any more that it was asked for.
                  || books.prefills().stream().anyMatch(KvNode::wasReshared)
                  || named.hasSpokenOtherwise()
                  || books.isBeyond(named)
                  // Who asked while its roles were closed, or shares the question of one who did.
                  || named.disposals() > 0
              ? null
              : "it has not refused it";
      case CANCELLED -> late || answered || disturbed ? null : "it has not cancelled it";
      case FAILED ->
          late
                  || answered
                  || world.mayFail(trip.node(), named)
                  // It may not know what it has posted for others, and is shut out.
                  || named.disposals() > 0
                  || trip.wasReclaimed()
                  || trip.node().wasRefusedMemory()
              ? null
              : "no write with it has failed";
    };
  }

  private @Nullable String deadline(KvNode named, boolean late) {
    boolean mayFail = trip.node().world().mayFail(trip.node(), named);
    if (!mayFail && books.mustKnowVersion(named, trip.slackNanos())) {
      return "it has answered in another version of the messages";
    }
    if (!late) {
      return "there is time left, or nothing was in the way";
    }
    long slow = trip.plan().deadlineNanos() / LOOKS * SLOW_LOOKS + trip.slackNanos();
    if (trip.slowForNanos() > slow || books.halfDoneForNanos() > slow) {
      return "its rate was known for long, and no end was in sight";
    }
    return blameless(named);
  }

  private @Nullable String infeasible(KvNode named) {
    long deadline = trip.plan().deadlineNanos();
    boolean hasRate =
        trip.pages().isTouched()
            && trip.node().world().referee().nanos() - trip.pages().touchedNanos()
                >= deadline / EIGHTH;
    if (isCalm() || !hasRate) {
      return "it is too early to say, or all goes well";
    }
    return blameless(named);
  }

  /** Where several serve it, none is blamed that has done its share. */
  private @Nullable String blameless(KvNode named) {
    boolean mayFail = trip.node().world().mayFail(trip.node(), named);
    return !mayFail && books.isBlameless(named, trip.slackNanos())
        ? "it has sent all that it has, and others have not"
        : null;
  }

  /** By its address, as long as it is not known how it calls itself. */
  private boolean isCalledByName(KvNode named, HandOverException ended) {
    String text = String.valueOf(ended.getMessage());
    String address = String.valueOf(ended.peer() == null ? null : ended.peer().address());
    boolean byName = text.contains("with prefill " + named.name() + " (" + address + ")");
    return byName
        || (!books.wasRequestedOf(named) && text.contains("with prefill " + address + ":"));
  }

  private boolean isCalm() {
    return trip.node().world().forecast().calm();
  }
}
