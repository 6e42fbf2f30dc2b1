package io.reactivetransfer.engine;

import io.reactivetransfer.EngineId;
import java.util.ArrayDeque;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What the {@link ImmTable} knows of one immediate. */
final class ImmEntry {

  final int imm;
  final ArrayDeque<Claim> claims = new ArrayDeque<>(2);

  /**
   * What has arrived and was not given to a claim; {@link WireImm#SHARES} make one write. Below 0
   * where more was taken back than had arrived: what comes late makes up for it.
   */
  long shares;

  /** Whose share it stands in as unclaimed, or null. */
  Unclaimed.@Nullable Share unclaimed;

  /** Who wrote what has arrived; null if that is not known. */
  private @Nullable EngineId origin;

  /** Whether all of it is from that one. */
  private boolean sole;

  ImmEntry(int imm) {
    this.imm = imm;
  }

  /** Something has arrived. */
  void arrived(@Nullable EngineId from, long more) {
    if (shares == 0) {
      origin = from;
      sole = true;
    } else if (sole && !Objects.equals(origin, from)) {
      sole = false;
    }
    shares += more;
  }

  @Nullable EngineId origin() {
    return origin;
  }

  /** Whether nothing of it is from anybody else. */
  boolean isOnlyOf(EngineId who) {
    return sole && who.equals(origin);
  }

  boolean isNeeded() {
    return !claims.isEmpty() || holdsUnclaimed();
  }

  boolean holdsUnclaimed() {
    return claims.isEmpty() && (shares != 0);
  }

  /** How many whole writes have arrived for this claim, behind those that came before it. */
  long arrivedFor(Claim claim) {
    long left = Math.max(0, shares / WireImm.SHARES);
    for (Claim earlier : claims) {
      if (earlier == claim) {
        break;
      }
      left = Math.max(0, left - earlier.writes);
    }
    return Math.min(left, claim.writes);
  }

  /** For the text of an error: how far the claim has come. */
  String progress(Claim claim) {
    return arrivedFor(claim)
        + " of "
        + claim.writes
        + " arrivals of immediate "
        + imm
        + " had come";
  }
}
