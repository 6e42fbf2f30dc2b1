package io.reactivetransfer.weights.version;

import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * How it is with a rank, all of it. Told to the controller whenever something has changed, in
 * answer to each command, and again and again while an update is pending.
 *
 * @param member whose it is
 * @param number rises with each report of an incarnation, so that late ones are told apart
 * @param heard the greatest term that it has heard of
 * @param question of the last query in that term that it has read; 0 if none
 * @param state what it serves
 * @param update the update whose bytes it has; {@link UpdateNumber#NONE} if none
 * @param version of these bytes; 0 if it has none
 * @param pending the update that is not over; null if none
 * @param ended updates that are over, the last one first, as many as it remembers
 * @param forgotten the greatest number of an update that is over and that it does not remember
 * @param reason why the last update was dropped here; empty if none was
 */
record Report(
    MemberId member,
    long number,
    Term heard,
    long question,
    RankState state,
    UpdateNumber update,
    long version,
    @Nullable Pending pending,
    List<Ended> ended,
    UpdateNumber forgotten,
    String reason) {

  /** Updates that are over and remembered. */
  static final int MAX_ENDED = 16;

  Report {
    ended = List.copyOf(ended);
  }

  /**
   * An update that is not over.
   *
   * @param target where it is to be written, while it can be; null otherwise
   */
  record Pending(
      UpdateNumber update, Phase phase, List<MemberId> members, @Nullable RankTarget target) {

    Pending {
      members = List.copyOf(members);
    }
  }

  /** How an update ended at this rank. */
  record Ended(UpdateNumber update, boolean flipped) {}

  /** The version that it has; empty if it has none, or if 0 may also stand for none. */
  OptionalLong knownVersion() {
    boolean isSaid =
        switch (state) {
          case SERVING, PAUSED -> true;
          case EMPTY, UNDECIDED, TORN, CLOSED -> version != 0 || !update.equals(UpdateNumber.NONE);
        };
    return isSaid ? OptionalLong.of(version) : OptionalLong.empty();
  }

  /** How far this rank is with an update. */
  Phase phase(UpdateNumber of) {
    if (pending != null && pending.update().equals(of)) {
      return pending.phase();
    }
    for (Ended one : ended) {
      if (one.update().equals(of)) {
        return one.flipped() ? Phase.FLIPPED : Phase.ABORTED;
      }
    }
    return of.compareTo(forgotten) <= 0 ? Phase.FORGOTTEN : Phase.NEVER;
  }
}
