package io.reactivetransfer.moe;

import java.time.Duration;
import java.util.Arrays;

/**
 * Who is late, when a count has not come in time: a count does not say whose write is missing, so
 * all others are asked how far they have got, and the one that is farthest behind, or says nothing,
 * is the reason. Only in turns.
 */
final class Lateness {

  /** How long they have to answer. */
  static final Duration PATIENCE = Duration.ofMillis(500);

  private final Group group;
  private final long[] progress;
  private boolean isAsking;

  /** Of which lane all were asked; others may be asked of another one for another reason. */
  private int askedLane;

  Lateness(Group group) {
    this.group = group;
    this.progress = new long[group.ranks.count()];
  }

  /**
   * Finds out, and fails the group.
   *
   * @param lane where the count did not come
   * @param needed the progress of a rank that has done its part
   * @param why how the failure begins that says so
   */
  void find(MoeLane lane, long needed, String why, Throwable cause) {
    if (isAsking) {
      return;
    }
    isAsking = true;
    askedLane = lane.index();
    Arrays.fill(progress, -1);
    progress[group.ranks.own()] = Long.MAX_VALUE;
    group.mail.toAll(new MoeMessage.Ask(group.id, lane.index()));
    group.after(
        PATIENCE,
        () -> {
          int last = 0;
          StringBuilder late = new StringBuilder();
          for (int rank = 0; rank < progress.length; rank++) {
            if (progress[rank] < progress[last]) {
              last = rank;
            }
            if (progress[rank] < needed) {
              late.append(late.isEmpty() ? "; late: " : ", ").append(group.ranks.name(rank));
              late.append(progress[rank] < 0 ? " (says nothing)" : "");
            }
          }
          group.fail(late.isEmpty() ? -1 : last, why + late, cause, true);
        });
  }

  /** Another rank wants to know how far this one has got. */
  void asked(int rank, int lane) {
    if (group.failIfFreed(null)) {
      return; // which nobody has noticed here, where nothing was done meanwhile
    }
    if (group.failure() == null && lane < group.shape.lanes() && group.hasBegun()) {
      long so = group.lane(lane).progress();
      group.mail.send(rank, new MoeMessage.Tell(group.id, lane, so), () -> {});
    }
  }

  /** Another rank says how far it has got on a lane. */
  void told(int rank, int lane, long so) {
    if (lane == askedLane) {
      progress[rank] = so;
    }
  }
}
