package io.reactivetransfer.engine;

import java.util.ArrayDeque;

/** What the {@link ImmTable} knows of one immediate. */
final class ImmEntry {

  final int imm;
  final ArrayDeque<Claim> claims = new ArrayDeque<>(2);

  /**
   * What has arrived and was not given to a claim; {@link WireImm#SHARES} make one write. Below 0
   * where more was taken back than had arrived: what comes late makes up for it.
   */
  long shares;

  /** Whether it stands in the books as unclaimed. */
  boolean unclaimed;

  ImmEntry(int imm) {
    this.imm = imm;
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
