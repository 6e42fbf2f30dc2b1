package io.reactivetransfer.weights.version;

import java.util.Optional;
import java.util.OptionalLong;

/**
 * How it is with one rank after an update or a recovery, as the rank itself has said.
 *
 * @param end what has become of it
 * @param state whether it serves, as it has said last; empty if it has said nothing
 * @param version what it serves, or would, as it has said last; empty if it has none, or that is
 *     not known
 * @param text for people: what it said, or why it is not known
 */
public record RankOutcome(End end, Optional<RankState> state, OptionalLong version, String text) {

  /** What has become of a rank. */
  public enum End {
    /** It has flipped to the new version. */
    FLIPPED,
    /** It has a version, which this call has not written: after a recovery, {@code version}. */
    KEPT,
    /** It has no version that it may serve: another update mends it. */
    TORN,
    /** It has had no version, and still has none. */
    EMPTY,
    /**
     * It did not say: it was lost, or silent, or obeys another controller, or has not yet heard of
     * the update, and may stop for it. If it lives and has voted, it gives no leases until it hears
     * the decision.
     */
    UNCONFIRMED
  }
}
