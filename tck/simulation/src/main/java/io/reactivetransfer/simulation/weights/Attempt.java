package io.reactivetransfer.simulation.weights;

import io.reactivetransfer.simulation.Referee;
import io.reactivetransfer.weights.version.RankOutcome;
import io.reactivetransfer.weights.version.UpdateMode;
import io.reactivetransfer.weights.version.UpdateNumber;
import io.reactivetransfer.weights.version.UpdateResult;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;

/**
 * One update or recovery, from when it is asked for to its result: exactly one, in time, with an
 * end of each rank that fits what that rank has done.
 */
final class Attempt implements CoreSubscriber<UpdateResult> {

  /** The decision, its confirmation, and trainers that are waited for: a deadline each. */
  private static final int DEADLINES = 3;

  final int number;
  final Steering steering;

  /** How it is written; null of a recovery. */
  final @Nullable UpdateMode mode;

  final long version;
  private final long deadlineNanos;
  private final Map<String, Serving> ranks;

  /** Of an update, the lives that take part in it, once that is known. */
  private final Map<String, Life> members = new LinkedHashMap<>();

  private final Referee referee;
  private final long beganNanos;
  private final long stoppedBefore;
  private final int failedBefore;
  private UpdateNumber update = UpdateNumber.NONE;
  private @Nullable Subscription subscription;
  private @Nullable UpdateResult result;
  private final boolean mayBeRefused;
  private final boolean takesOver;
  private boolean ended;
  private boolean cancelled;
  private boolean overtaken;

  /** When its trainers were told. */
  private long orderedNanos;

  private boolean controllerClosed;

  /**
   * Of a controller that is up.
   *
   * @param mode null for a recovery
   * @param deadlineNanos on the network
   */
  Attempt(
      int number,
      Steering steering,
      @Nullable UpdateMode mode,
      long version,
      long deadlineNanos,
      Map<String, Serving> ranks) {
    this.number = number;
    this.steering = steering;
    this.mode = mode;
    this.version = version;
    this.deadlineNanos = deadlineNanos;
    this.ranks = ranks;
    this.referee = steering.world.referee();
    this.beganNanos = referee.nanos();
    this.failedBefore = steering.world.failed();
    this.stoppedBefore = steering.node.stoppedNanos();
    this.mayBeRefused = steering.mayBeBusy();
    this.takesOver = !steering.hasTakenOver();
  }

  // ---- what is done ----

  void cancel() {
    Subscription source = subscription;
    if (source != null && !ended && !cancelled) {
      referee.note(steering.node.index(), "cancel", number);
      cancelled = true;
      source.cancel();
      steering.world.laboratory().ended(this);
    }
  }

  void controllerClosed() {
    controllerClosed = true;
  }

  /**
   * Another controller has recovered: this one decides nothing any more, unless it is the first
   * thing that its controller does. Then it may have outbid the other one since that began, or do
   * so yet.
   */
  void overtaken(Attempt recovery) {
    overtaken |= !takesOver || (!members.isEmpty() && orderedNanos < recovery.beganNanos);
  }

  /** Trainers are told, or a rank that fills others: all ranks are open. */
  void ordered(UpdateNumber as, boolean areTrainers) {
    if (members.isEmpty()) {
      update = as;
      orderedNanos = referee.nanos();
      Turns turns = areTrainers ? steering.world.turns(ranks.values()) : null;
      ranks.forEach((name, serving) -> {
        Life life = serving.life();
        if (life != null && !serving.node.isGone()) {
          members.put(name, life);
          serving.opened(life.bufferOf(mode), this, turns);
        }
      });
    }
  }

  // ---- what comes of it ----

  @Override
  public void onSubscribe(Subscription source) {
    subscription = source;
    source.request(Long.MAX_VALUE);
  }

  @Override
  public void onNext(UpdateResult value) {
    referee.require(result == null && !ended && !cancelled, this + " has another result: " + value);
    result = value;
    referee.note(steering.node.index(), value.decision() + " " + value.reason(), number);
    referee.require(
        ageNanos() <= mostNanos(), this + " has its result too late: " + ageNanos() + " ns");
    referee.require(
        value.ranks().keySet().equals(ranks.keySet()),
        this + " names other ranks than " + ranks.keySet() + ": " + value);
    boolean fits =
        switch (value.decision()) {
          case FLIPPED, UNKNOWN -> mode != null;
          case RECOVERED -> mode == null;
          default -> true;
        };
    referee.require(fits, this + " ended as " + value);
    if (!value.update().equals(UpdateNumber.NONE) && mode != null) {
      referee.require(
          update.equals(UpdateNumber.NONE) || update.equals(value.update()),
          this + " is update " + update + ", and ended as " + value);
      update = value.update();
    }
    referee.require(
        value.decision() != UpdateResult.Decision.ABORTED
            || !isConfirmedByOneWhoLives()
            || members.values().stream()
                .noneMatch(life -> !life.isOver() && life.hasFlipped(update)),
        this + " was aborted, and somebody has flipped: " + value);
    value.ranks().forEach((name, outcome) -> requireFits(name, outcome, value));
    if (steering.world.forecast().calm()) {
      requireSmooth(value);
    }
  }

  /** Nothing was in the way, but what has failed as it was told. */
  private void requireSmooth(UpdateResult value) {
    boolean nothingFailed = steering.world.failed() == failedBefore;
    if (mode != null) {
      referee.require(
          (value.isFlipped()
                  || (!nothingFailed && value.decision() == UpdateResult.Decision.ABORTED))
              && value.isConfirmed(),
          this + " has not flipped, and nothing was in the way: " + value);
    }
    referee.require(
        ageNanos() <= deadlineNanos / 2,
        this + " needed its deadline, and nothing was in the way: " + value);
    if (mode == null) {
      referee.require(
          value.decision() == UpdateResult.Decision.RECOVERED,
          this + " has not recovered, and nothing was in the way: " + value);
    }
  }

  /** What a rank is said to be, as it has said itself. */
  private void requireFits(String name, RankOutcome outcome, UpdateResult value) {
    Life life = members.get(name);
    boolean flipped = life != null && life.hasFlipped(update);
    boolean fits =
        switch (outcome.end()) {
          case FLIPPED -> flipped;
          case UNCONFIRMED -> true;
          default -> !flipped;
        };
    referee.require(fits || mode == null, this + " says of " + name + " what is not so: " + value);
    if (value.isFlipped() && outcome.end() == RankOutcome.End.KEPT) {
      referee.require(false, this + " has flipped, and " + name + " has kept what it had");
    }
  }

  @Override
  public void onError(Throwable failure) {
    referee.require(!ended && !cancelled, this + " ended twice, or after it was cancelled");
    ended = true;
    boolean isOwn = failure instanceof IllegalStateException && (mayBeRefused || controllerClosed);
    referee.require(isOwn, this + " failed: " + failure);
    steering.world.laboratory().ended(this);
  }

  @Override
  public void onComplete() {
    referee.require(!ended && !cancelled, this + " ended twice, or after it was cancelled");
    referee.require(result != null, this + " has no result");
    ended = true;
    steering.world.laboratory().ended(this);
  }

  // ---- what others want to know ----

  /**
   * Whether a rank may have stopped for it: it names the rank, and nobody knows that it is over
   * there.
   */
  boolean mayStop(Serving serving) {
    UpdateResult said = result;
    return mode != null
        && serving.equals(ranks.get(serving.name()))
        && (said == null || !said.isConfirmed());
  }

  boolean isRecovery() {
    return mode == null;
  }

  UpdateNumber update() {
    return update;
  }

  Map<String, Life> members() {
    return members;
  }

  @Nullable UpdateResult result() {
    return result;
  }

  /** Whether nobody flips to it: its result says so, or another controller has settled it. */
  boolean isGivenUp() {
    UpdateResult said = result;
    return overtaken || (said != null && said.decision() == UpdateResult.Decision.ABORTED);
  }

  /** Whether somebody who lives has said that it has not flipped. */
  boolean isConfirmedByOneWhoLives() {
    UpdateResult said = result;
    return said != null
        && members.entrySet().stream()
            .anyMatch(member -> {
              RankOutcome outcome = said.ranks().get(member.getKey());
              return !member.getValue().isOver()
                  && outcome != null
                  && outcome.end() != RankOutcome.End.UNCONFIRMED;
            });
  }

  boolean hasEnded() {
    return ended;
  }

  boolean isOver() {
    return ended || cancelled || steering.node.isKilled();
  }

  /** Whether trainers must keep what they have for it. */
  boolean needsWeights() {
    return !isOver() && !overtaken;
  }

  /** Whether it should have ended by now. */
  boolean isOverdue() {
    return !isOver() && ageNanos() > mostNanos();
  }

  private long ageNanos() {
    return referee.nanos() - beganNanos;
  }

  private long mostNanos() {
    return DEADLINES * deadlineNanos
        + steering.world.forecast().slackNanos()
        + steering.node.stoppedNanos()
        - stoppedBefore;
  }

  @Override
  public String toString() {
    return (mode == null ? "recovery " : "update ") + number + " of " + steering;
  }
}
