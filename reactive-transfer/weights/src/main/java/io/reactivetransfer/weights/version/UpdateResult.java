package io.reactivetransfer.weights.version;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * How an update or a recovery ended.
 *
 * @param decision of this controller
 * @param update its number; {@link UpdateNumber#NONE} if it did not come to one
 * @param reason why, for people; empty where there is nothing to say
 * @param ranks what has become of each rank, by its name
 */
public record UpdateResult(
    Decision decision, UpdateNumber update, String reason, Map<String, RankOutcome> ranks) {

  /** What a controller has decided. */
  public enum Decision {
    /** All ranks had voted: each one that lives has flipped, or will when it hears of it. */
    FLIPPED,
    /**
     * No rank that lives has flipped to this update, nor will, as long as one that has confirmed it
     * lives: if none does, and all others have voted, a later recovery decides for the flip. The
     * first call of a controller settles what others have left, so ranks may have flipped to an
     * earlier update.
     */
    ABORTED,
    /**
     * It was given up after the ranks had been asked for their votes, and none of them has
     * confirmed it: a recovery that finds that all have voted decides for the flip.
     */
    UNKNOWN,
    /** Another controller has taken over, and decides; {@link WeightsController#recover} says. */
    SUPERSEDED,
    /**
     * Some ranks have voted for an earlier update, and one that must be asked for its outcome does
     * not answer; or a rank named in a recovery is silent. Updates whose end was known have flipped
     * or were dropped meanwhile; the ranks of others that have voted go on serving nothing ({@link
     * RankState#UNDECIDED}). The silent one may have flipped and may serve the new version, and
     * nobody else can know. It ends when that rank answers a {@link WeightsController#recover}, or
     * when one leaves it out of the living: only who has made sure that its process has ended may
     * do so, since two versions are served otherwise. Another update does not end it.
     */
    BLOCKED,
    /** Only of a recovery: no rank waits for any decision any more. */
    RECOVERED
  }

  /** Copies the map and keeps its order. */
  public UpdateResult {
    ranks = Collections.unmodifiableMap(new LinkedHashMap<>(ranks));
  }

  /** Whether the new version is decided on. */
  public boolean isFlipped() {
    return decision == Decision.FLIPPED;
  }

  /** Whether each rank has confirmed that it is as was decided. */
  public boolean isConfirmed() {
    return ranks.values().stream().noneMatch(rank -> rank.end() == RankOutcome.End.UNCONFIRMED);
  }
}
