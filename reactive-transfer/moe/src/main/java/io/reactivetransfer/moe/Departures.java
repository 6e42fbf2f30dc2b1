package io.reactivetransfer.moe;

import io.reactivetransfer.PeerUnreachableException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;
import reactor.core.Disposables;

/** Which of the other ranks take part in a group no more, and how far they had got. In turns. */
final class Departures {

  private final Group group;
  private final boolean[] isGone;
  private final boolean[] hearsNothing;

  /** Read by any thread. */
  private volatile boolean isAnyGone;

  /** What those that left had done on each lane, or null. */
  private final List<@Nullable List<Long>> doneByLeft = new ArrayList<>();

  private @Nullable Runnable whenAllGone;

  /** What ends the wait for them. */
  private final Disposable.Swap timeout = Disposables.swap();

  Departures(Group group) {
    this.group = group;
    isGone = new boolean[group.ranks.count()];
    hearsNothing = new boolean[group.ranks.count()];
    for (int rank = 0; rank < isGone.length; rank++) {
      doneByLeft.add(null);
    }
  }

  void lost(int rank, PeerUnreachableException loss) {
    hearsNothing[rank] = true;
    if (!isGone[rank]) {
      gone(rank);
      if (!group.release.isClosing()) {
        group.fail(rank, "was lost: " + loss.getMessage(), loss, true);
      }
    }
  }

  /** Another rank joins a later epoch of this group, and has not left this one. */
  void goesOn(int rank, String why) {
    if (!isGone[rank]) {
      gone(rank);
      if (!group.release.isClosing()) {
        group.fail(rank, why, null, true); // and it is told, in case that it is in both
      }
    }
  }

  /** Another rank has given the group up. */
  void gaveUp(int rank, MoeMessage.GiveUp giveUp) {
    hearsNothing[rank] = true;
    gone(rank);
    if (!group.release.isClosing()) {
      int blamed = giveUp.blamed() < group.ranks.count() ? giveUp.blamed() : -1;
      String by = blamed < 0 || blamed == rank ? "" : " (says " + group.ranks.name(rank) + ")";
      group.fail(blamed < 0 ? rank : blamed, giveUp.why(), by, null, false);
    }
  }

  /** Another rank takes part in no more steps. */
  void left(int rank, List<Long> steps) {
    if (steps.size() != group.shape.lanes()) {
      return;
    }
    doneByLeft.set(rank, steps);
    gone(rank);
    if (group.failure() != null) {
      // It waits until all others have left, too.
      group.mail.giveUp(rank, -1, "the group was over already");
      return;
    }
    group.requireAllOfLanes();
  }

  /** Whether it was lost, or is over by itself; who has left in order waits for others to do so. */
  boolean hearsNothing(int rank) {
    return hearsNothing[rank];
  }

  /** Whether it takes part no more. */
  boolean isGone(int rank) {
    return isGone[rank];
  }

  /** From any thread: whether one takes part no more, so that no step can be done any more. */
  boolean isAnyGone() {
    return isAnyGone;
  }

  private void gone(int rank) {
    isGone[rank] = true;
    isAnyGone = true;
    if (areAllGone()) {
      waitNoMore();
    }
  }

  boolean areAllGone() {
    for (int rank = 0; rank < isGone.length; rank++) {
      if (!isGone[rank] && rank != group.ranks.own()) {
        return false;
      }
    }
    return true;
  }

  /** Does it when all are gone, or after some time. */
  void whenAllAreGone(Runnable then, Duration timeout) {
    whenAllGone = then;
    this.timeout.update(group.after(timeout, this::waitNoMore));
  }

  /** Whoever waits until all are gone goes on. */
  void waitNoMore() {
    Runnable then = whenAllGone;
    if (then != null) {
      whenAllGone = null;
      timeout.dispose();
      then.run();
    }
  }

  /** Tells those that have left in order, and wait, that the group is over. */
  void tellLeft(int blamed, String why) {
    for (int rank = 0; rank < isGone.length; rank++) {
      if (doneByLeft.get(rank) != null && !hearsNothing[rank]) {
        group.mail.giveUp(rank, blamed, why);
      }
    }
  }

  /** Fails the group if somebody has left who would be needed for this step. */
  void requireAll(int lane, long step) {
    for (int rank = 0; rank < isGone.length; rank++) {
      List<Long> done = doneByLeft.get(rank);
      if (done != null && done.get(lane) < step) {
        group.fail(
            rank,
            "has left after " + done.get(lane) + " steps on lane " + lane + ", before step " + step,
            null,
            true);
      }
    }
  }
}
