package io.reactivetransfer.engine.target;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.TransferException.Origin;
import io.reactivetransfer.TransferFailedException;
import io.reactivetransfer.engine.base.Chain;
import io.reactivetransfer.engine.base.IntMap;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Who has how many immediates unclaimed, and which arrivals were lost because they were too many.
 * Each origin has a share of its own; those of whom the NIC does not say who they are have one
 * together. Belongs to the NIC thread.
 */
final class Unclaimed {

  /** Immediates of one origin of which is known that arrivals were lost. */
  static final int MAX_LOST = 16_384;

  /** The same, over all origins. */
  static final int MAX_LOST_IN_ALL = 65_536;

  /** All together may have so many times as much unclaimed as one. */
  private static final int SHARES = 4;

  /** What one origin has. */
  static final class Share {
    final @Nullable EngineId origin;
    private final Set<Integer> lost = new LinkedHashSet<>();

    /** What is kept of it. */
    private final Chain<ImmEntry> unclaimed = new Chain<>();

    private long dropped;
    private int firstDropped;

    /** Whether more was lost than is remembered one by one. */
    private boolean beyond;

    Share(@Nullable EngineId origin) {
      this.origin = origin;
    }

    boolean isGuilty() {
      return dropped > 0;
    }

    /** What is kept of it that nobody else has a share in. */
    List<ImmEntry> own() {
      List<ImmEntry> own = new ArrayList<>();
      EngineId who = origin;
      Chain.Link<ImmEntry> at = who == null ? null : unclaimed.first();
      for (; who != null && at != null; at = at.next()) {
        if (at.member().isOnlyOf(who)) {
          own.add(at.member());
        }
      }
      return own;
    }

    private boolean concerns(Claim claim) {
      return origin == null || claim.concerns(origin);
    }
  }

  private final int max;
  private final long maxInAll;
  private final Map<EngineId, Share> shares = new HashMap<>();
  private final Share unknown = new Share(null);
  private final IntMap<List<Share>> lost;
  private final Set<Share> beyond = new LinkedHashSet<>();

  /** Those whose origin was lost, and neither is back nor has left anything else since. */
  private final Set<Share> gone = new LinkedHashSet<>();

  private int unclaimed;
  private int lostInAll;

  Unclaimed(int max, int seed) {
    this.lost = new IntMap<>(seed);
    this.max = max;
    this.maxInAll = (long) max * SHARES;
  }

  /** Whether an immediate that nobody claims can be kept. */
  boolean hasRoom(@Nullable EngineId origin) {
    Share share = find(origin);
    return unclaimed < maxInAll && (share == null || share.unclaimed.size() < max);
  }

  boolean isFull() {
    return unclaimed >= maxInAll;
  }

  private @Nullable Share find(@Nullable EngineId origin) {
    return origin == null ? unknown : shares.get(origin);
  }

  private Share of(@Nullable EngineId origin) {
    return origin == null ? unknown : shares.computeIfAbsent(origin, Share::new);
  }

  /** An immediate is kept, in the share of its origin. */
  void add(ImmEntry entry) {
    Share share = of(entry.origin());
    gone.remove(share);
    share.unclaimed.add(entry.placeInShare());
    entry.unclaimed = share;
    unclaimed++;
  }

  /** One that was kept is claimed, or gone. */
  void remove(ImmEntry entry, Share share) {
    entry.unclaimed = null;
    share.unclaimed.remove(entry.placeInShare());
    unclaimed--;
    if (share.origin == null && share.unclaimed.isEmpty() && share.beyond) {
      forgive(share); // nobody can leave, but all that was in the way is gone
    }
    tidy(share);
  }

  private void tidy(Share share) {
    if (share.origin != null && share.unclaimed.isEmpty() && share.dropped == 0) {
      shares.remove(share.origin);
      gone.remove(share);
    }
  }

  /**
   * An arrival is lost. Under which immediate is remembered for each origin, up to a bound for one
   * and a bound for all. Who goes beyond its own, or has lost most when that of all is reached, may
   * have lost anything from then on, until it leaves.
   *
   * @return who that is, said once; null while all is remembered
   */
  @Nullable Share drop(@Nullable EngineId origin, int imm) {
    Share share = of(origin);
    if (share.dropped++ == 0) {
      share.firstDropped = imm;
    }
    if (share.lost.contains(imm)) {
      return null;
    }
    if (share.beyond) {
      return null;
    }
    if (share.lost.size() >= MAX_LOST) {
      loseTrack(share);
      return share;
    }
    Share most = lostInAll < MAX_LOST_IN_ALL ? null : loser();
    if (most != null) {
      loseTrack(most);
    }
    share.lost.add(imm);
    lostInAll++;
    List<Share> losers = lost.get(imm);
    if (losers == null) {
      losers = new ArrayList<>(1);
      lost.put(imm, losers);
    }
    losers.add(share);
    return most;
  }

  /** Who has lost most: nobody else pays for a flood that all bounds are needed for. */
  private Share loser() {
    Share most = unknown;
    for (Share share : shares.values()) {
      most = share.lost.size() > most.lost.size() ? share : most;
    }
    return most;
  }

  /** What it has lost, and loses from now on, may be anything, until it leaves. */
  private void loseTrack(Share share) {
    forgetLost(share);
    share.beyond = true;
    beyond.add(share);
  }

  private void forgetLost(Share share) {
    for (Integer imm : share.lost) {
      List<Share> losers = lost.get(imm);
      if (losers != null && losers.remove(share) && losers.isEmpty()) {
        lost.remove(imm);
      }
    }
    lostInAll -= share.lost.size();
    share.lost.clear();
  }

  /** Whether this was the first arrival of the origin that was lost. */
  boolean isFirst(@Nullable EngineId origin) {
    Share share = find(origin);
    return share != null && share.dropped == 1;
  }

  /**
   * Why a claim that would have to wait may wait in vain, or null. Of what was lost under one
   * immediate is told once.
   */
  @Nullable TransferFailedException lossFor(Claim claim) {
    List<Share> losers = lost.get(claim.imm);
    if (losers != null) {
      for (Share share : losers) {
        if (share.concerns(claim)) {
          TransferFailedException failure = failure(claim, share);
          found(claim.imm);
          return failure;
        }
      }
    }
    if (beyond.isEmpty()) { // as it mostly is, and this is done for each claim: no iterator then
      return null;
    }
    for (Share share : beyond) {
      if (share.concerns(claim)) {
        return failure(claim, share);
      }
    }
    return null;
  }

  /** What was lost under an immediate was told, or matters to nobody. */
  void found(int imm) {
    List<Share> losers = lost.get(imm);
    if (losers != null) {
      lost.remove(imm);
      for (Share share : losers) {
        share.lost.remove(imm);
        lostInAll--;
        if (share.lost.isEmpty() && !share.beyond) {
          share.dropped = 0;
          tidy(share);
        }
      }
    }
  }

  /** The origin was lost; returns its share, which has to end if it is guilty. */
  @Nullable Share left(EngineId origin) {
    Share share = shares.get(origin);
    if (share != null) {
      gone.add(share);
    }
    return share;
  }

  /** The origin is back: what it left before is not looked for when there is no room. */
  void back(EngineId origin) {
    Share share = shares.get(origin);
    if (share != null) {
      gone.remove(share);
    }
  }

  /** Those that were lost and are not back. */
  List<Share> gone() {
    return List.copyOf(gone);
  }

  /** What the origin has lost matters no more. */
  void forgive(Share share) {
    forgetLost(share);
    share.beyond = false;
    share.dropped = 0;
    gone.remove(share); // what is left of it others wrote, too: it is not looked for again
    beyond.remove(share);
    tidy(share);
  }

  /** How many origins it has something of. */
  int origins() {
    return shares.size();
  }

  private TransferFailedException failure(Claim claim, Share share) {
    String who = share.origin == null ? "" : " of engine " + share.origin.toShortString();
    return new TransferFailedException(
        share.dropped
            + " arrivals"
            + who
            + " were lost because "
            + max
            + " immediates were unclaimed (maxUnclaimedImms), first of immediate "
            + share.firstDropped
            + "; what a claim on immediate "
            + claim.imm
            + " waits for may be among them",
        share.origin == null ? Origin.UNKNOWN : Origin.peer(share.origin),
        null);
  }
}
