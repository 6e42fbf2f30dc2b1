package io.reactivetransfer.simulation;

import java.util.ArrayList;
import java.util.List;

/**
 * What is known of one immediate at one engine: how many arrivals there may be, how many there must
 * be, and what was made of them.
 */
final class Count {

  final Node target;
  final int imm;
  private final Referee referee;
  private final List<Volley> volleys = new ArrayList<>();
  private final List<ClaimProbe> claims = new ArrayList<>();
  private long issued;
  private long sure;
  private long met;
  private boolean unclear;
  private int abortsSeen;
  private boolean doubted;
  private boolean discarded;
  private boolean repeated;

  Count(Node target, int imm) {
    this.target = target;
    this.imm = imm;
    this.referee = target.world().referee();
  }

  /** The engine has a transfer that raises it. */
  void issued(Volley volley, long arrivals) {
    volleys.add(volley);
    issued += arrivals;
  }

  /** That transfer is done. */
  void sure(long arrivals) {
    sure += arrivals;
  }

  long issued() {
    return issued;
  }

  void claimed(ClaimProbe claim) {
    claims.add(claim);
  }

  /** Nobody knows whether this engine was told of everything that was given up. */
  void makeUnclear() {
    unclear = true;
  }

  /** A piece was lost on its way, and its origin cannot know whether it was counted. */
  void doubted() {
    doubted = true;
  }

  /**
   * Its engine has begun anew: what it was told is forgotten, and what it is told from now on of
   * what was before makes that fewer are counted, because nobody waited for that to come.
   */
  void discarded() {
    unclear = true;
    discarded = true;
  }

  boolean isDoubted() {
    return doubted;
  }

  /** It counts one transfer only, which may be submitted again. */
  void repeated() {
    repeated = true;
  }

  /** A claim was met. */
  void met(long arrivals) {
    met += arrivals;
    referee.require(
        met <= issued || isUnsafe(),
        this + ": " + met + " arrivals were claimed of " + issued + " that were sent");
    if (met == issued && !mayMiss()) {
      volleys.forEach(volley -> volley.requireVisibleAt(target));
    } else if (repeated && !isUnsafe() && !target.mayOverflow() && !mayBeLate()) {
      // what an attempt that failed has counted is no help
      volleys.getLast().requireVisibleAt(target);
    }
  }

  /** A claim failed because an origin told of a failure. */
  void aborted() {
    abortsSeen++;
  }

  // ---- at the end, when nothing is on its way ----

  /** Claims that must have been met are not pending, nor those for which there is no hope. */
  void checkClaims() {
    long pending = 0;
    for (ClaimProbe claim : claims) {
      pending += claim.isOver() ? 0 : claim.arrivals();
    }
    checkOrder();
    long certain = mayMiss() ? 0 : sure - met;
    if (pending > 0 && pending <= certain) {
      referee.violated(
          this + ": claims of " + pending + " wait, and " + certain + " writes were done for them");
    }
    if (abortsSeen > 0 && volleys.stream().allMatch(it -> it.state() == Volley.State.DONE)) {
      referee.require(
          isUnsafe() || target.mayOverflow(),
          this + ": a claim was told of a failed write, and all were done");
    }
    long failed = volleys.stream().filter(it -> it.state() != Volley.State.DONE).count();
    referee.require(
        !repeated || doubted || isUnsafe() || target.mayOverflow() || abortsSeen <= failed,
        this + ": " + abortsSeen + " claims were told of " + failed + " attempts that failed");
  }

  /** First come, first served: none is met while one that came before it waits. */
  private void checkOrder() {
    ClaimProbe waiting = null;
    for (ClaimProbe claim : claims) {
      if (waiting == null && claim.isSingle() && !claim.isOver()) {
        waiting = claim;
      }
      referee.require(
          waiting == null || !claim.isMet(), claim + " was met, and " + waiting + " still waits");
    }
  }

  /** The claims are cancelled, and this was left. */
  void checkTotal(long left) {
    long total = met + left;
    long least = mayMiss() ? 0 : sure;
    if (!isUnsafe()) {
      referee.require(
          total <= issued, this + ": " + total + " arrivals came of " + issued + " that were sent");
    }
    referee.require(
        total >= least, this + ": " + total + " arrivals came, and " + least + " writes were done");
    boolean oneClaim = claims.size() == 1 && claims.getFirst().wasPendingForAnyone();
    if (oneClaim && total < issued && everyoneTold()) {
      referee.violated(this + ": writes were given up, and a claim was not told");
    }
  }

  /** Everything had come, was counted and dropped: at most, something was taken back since. */
  void checkNothingCame(long left) {
    referee.require(
        left == 0 || target.world().isForgiving(),
        this + ": " + left + " arrivals came after everything had come");
  }

  /**
   * When an origin begins anew, what it told before concerns nobody any more. It may have told
   * before its submitter heard of the failure: a stream ends when all of it is back.
   */
  private boolean beganAnew() {
    for (int i = 0; i < volleys.size(); i++) {
      Volley earlier = volleys.get(i);
      if (volleys.subList(i + 1, volleys.size()).stream().anyMatch(earlier::wasFollowedBy)) {
        return true;
      }
    }
    return false;
  }

  /** Whether each origin was in a position to tell this engine of what it gave up. */
  private boolean everyoneTold() {
    return !unclear
        && !beganAnew()
        && !mayMiss()
        && !isDisturbed()
        && volleys.stream().allMatch(it -> it.origin.isUp() || it.state() == Volley.State.DONE);
  }

  /** Whether arrivals of writes that are done may be missing. */
  private boolean mayMiss() {
    World world = target.world();
    // a write that is done when its source is free may still fail, and nobody says so
    boolean mayFail = world.forecast().weather().sourceFree();
    return target.mayOverflow()
        || doubted
        || discarded
        || (mayFail && (mayLoseWrites() || target.hasRevoked()));
  }

  /** Whether what was done when its source was free may come after its target has begun anew. */
  private boolean mayBeLate() {
    return discarded && target.world().forecast().weather().sourceFree();
  }

  private boolean isDisturbed() {
    return volleys.stream().anyMatch(it -> target.world().isDisturbed(it.origin, target));
  }

  private boolean mayLoseWrites() {
    return volleys.stream().anyMatch(it -> target.world().mayLoseWrites(it.origin, target));
  }

  /** Whether the network did what no network may do. */
  private boolean isUnsafe() {
    return target.world().forecast().weather().duplicate() > 0;
  }

  @Override
  public String toString() {
    return "immediate " + imm + " at engine " + target.index();
  }
}
