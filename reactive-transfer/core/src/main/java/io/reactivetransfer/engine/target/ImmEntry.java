package io.reactivetransfer.engine.target;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.engine.base.Chain;
import io.reactivetransfer.engine.base.WireImm;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** What the {@link ImmTable} knows of one immediate. */
final class ImmEntry {

  final int imm;

  /** Those that wait, first come, first served. */
  final Chain<Claim> claims = new Chain<>();

  /**
   * What has arrived and was not given to a claim; {@link WireImm#SHARES} make one write. Below 0
   * where more was taken back than had arrived: what comes late makes up for it.
   */
  long shares;

  /**
   * Who make claims of it one after the other, and need it in between: what each does when nobody
   * may count any more.
   */
  final List<Consumer<Throwable>> holders = new ArrayList<>();

  /** Whether it is counted as unclaimed. */
  boolean isCounted;

  /** Whose share it stands in as unclaimed, or null. */
  Unclaimed.@Nullable Share unclaimed;

  /** Who wrote what has arrived; null if that is not known. */
  private @Nullable EngineId origin;

  /** Whether all of it is from that one. */
  private boolean sole;

  /** Its place among what is kept of that share; {@link Unclaimed}'s own. */
  private Chain.@Nullable Link<ImmEntry> placeInShare;

  /** Its place among those for which somebody waits; the table's own. */
  private Chain.@Nullable Link<ImmEntry> placeAmongWaited;

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
    return !holders.isEmpty() || !claims.isEmpty() || holdsUnclaimed();
  }

  boolean holdsUnclaimed() {
    return claims.isEmpty() && (shares != 0);
  }

  /** Whether it takes room that is bounded: not if somebody holds it, who is let in by bounds. */
  boolean takesRoom() {
    return holders.isEmpty() && holdsUnclaimed();
  }

  /** Whether a claim can be met, if it is the first: one of none can, whatever is owed. */
  boolean hasEnoughFor(Claim claim) {
    return Math.max(0, shares) >= claim.shares();
  }

  /** The claim that waits longest, or null. */
  @Nullable Claim firstClaim() {
    Chain.Link<Claim> first = claims.first();
    return first == null ? null : first.member();
  }

  Chain.Link<ImmEntry> placeAmongWaited() {
    Chain.Link<ImmEntry> known = placeAmongWaited;
    if (known == null) {
      known = new Chain.Link<>(this);
      placeAmongWaited = known;
    }
    return known;
  }

  Chain.Link<ImmEntry> placeInShare() {
    Chain.Link<ImmEntry> known = placeInShare;
    if (known == null) {
      known = new Chain.Link<>(this);
      placeInShare = known;
    }
    return known;
  }

  /** Those that wait, as they stand now. */
  List<Claim> waiting() {
    List<Claim> waiting = new ArrayList<>(claims.size());
    for (Chain.Link<Claim> at = claims.first(); at != null; at = at.next()) {
      waiting.add(at.member());
    }
    return waiting;
  }

  /**
   * How many whole writes have arrived for this claim. For one that is not the first there are
   * none: what there is does not suffice for the first, and is kept for that.
   */
  private long arrivedFor(Claim claim) {
    return claim.equals(firstClaim()) ? Math.clamp(shares / WireImm.SHARES, 0, claim.writes) : 0;
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
