package io.reactivetransfer.engine.origin;

import java.util.Arrays;

/**
 * What one peer has out on each of our NICs, by which is known on which ways it is stuck, and, long
 * before that, which ways are silent. Belongs to the NIC thread.
 */
final class Ways {

  /** What was seen of a NIC that had nothing out. */
  private static final long NOTHING = -1;

  private final int all;

  /** After how long without an end a way is silent that has something out. */
  private final long quietNanos;

  /** How many pieces were posted to it and have ended, by our NICs. */
  private final long[] posted;

  private final long[] ended;

  /** How many had ended at the last look, and when that was seen to change. */
  private final long[] seen;

  private final long[] changedAt;

  /** How many had been posted when the way was given up last: so many are to end. */
  private final long[] givenUp;

  private final long[] givenUpAt;

  private long lookedAt = Long.MIN_VALUE;

  /**
   * Which were silent at the last look for that, and have ended nothing since, as a set of bits.
   */
  private int silent;

  /** Whether all ways that are not silent have refused something since that look. */
  private boolean refused;

  /** Whether they had before it, and how many had been posted to all at that look. */
  private boolean wasRefused;

  private long allPosted;

  Ways(int nics, long quietNanos) {
    this.all = (1 << nics) - 1;
    this.quietNanos = quietNanos;
    this.posted = new long[nics];
    this.ended = new long[nics];
    this.seen = new long[nics];
    this.changedAt = new long[nics];
    this.givenUp = new long[nics];
    this.givenUpAt = new long[nics];
    Arrays.fill(seen, NOTHING);
  }

  /** A NIC has taken a piece over. */
  void posted(int nic) {
    posted[nic]++;
  }

  /** So many have left it. */
  void ended(int nic, int pieces) {
    ended[nic] += pieces;
    silent &= ~(1 << nic);
  }

  /**
   * Which get nothing new, as a set of bits: the silent ones, as long as another way is left.
   *
   * @param lost those that are not to be used anyway
   */
  int avoided(int lost) {
    return (silent | lost) == all ? 0 : silent;
  }

  /** All ways that are left have refused what could have been posted to those that are avoided. */
  void heldBack() {
    refused = true;
  }

  /** How many pieces these ways have, a set of bits. */
  long out(int ways) {
    long out = 0;
    for (int nic = 0; nic < posted.length; nic++) {
      out += (ways & 1 << nic) == 0 ? 0 : posted[nic] - ended[nic];
    }
    return out;
  }

  /**
   * Sees where something has ended since the last look; once at each moment, whose first look is
   * the one that was due first.
   *
   * @param stoodStillNanos for how long nobody could see that, since the last look
   */
  void look(long now, long stoodStillNanos) {
    if (lookedAt == now) {
      return;
    }
    lookedAt = now;
    for (int nic = 0; nic < posted.length; nic++) {
      if (!isOut(nic) || seen[nic] != ended[nic]) {
        seen[nic] = isOut(nic) ? ended[nic] : NOTHING;
        changedAt[nic] = now;
      } else {
        changedAt[nic] += Math.min(stoodStillNanos, now - changedAt[nic]);
      }
    }
  }

  /**
   * Looks, and sees which ways are silent: something is out there, and for a while nothing has
   * ended. After time in which nobody could see that, no other ones are. If the others have refused
   * something since the last look and before it, and nothing was posted meanwhile, they may be busy
   * for good: then none is avoided until the next one.
   */
  void lookForSilent(long now, long stoodStillNanos) {
    look(now, stoodStillNanos);
    if (stoodStillNanos > 0) {
      wasRefused = false;
      refused = false;
      return;
    }
    long sum = 0;
    for (long each : posted) {
      sum += each;
    }
    boolean lettingGo = refused && wasRefused && sum == allPosted;
    wasRefused = refused;
    refused = false;
    allPosted = sum;
    silent = 0;
    if (!lettingGo) {
      for (int nic = 0; nic < posted.length; nic++) {
        silent |= isOut(nic) && silentNanos(nic, now) >= quietNanos ? 1 << nic : 0;
      }
    }
  }

  /**
   * Which are to be given up for what has been out too long, as a set of bits: those on which
   * nothing has ended for the time of grace. If there are none, those that have been silent longest
   * and for half of it: the look that has seen their last change may have come late. If there are
   * none of these, all. What was given up ends in a while; until then the others are not given up
   * for its sake.
   */
  int giveUp(long now, long graceNanos) {
    long longest = 0;
    boolean ending = false;
    for (int nic = 0; nic < posted.length; nic++) {
      longest = Math.max(longest, silentNanos(nic, now));
      ending |= isEnding(nic, now, graceNanos);
    }
    boolean shorter = !ending && longest >= graceNanos / 2;
    long enough = shorter ? Math.min(longest, graceNanos) : graceNanos;
    int stuck = 0;
    for (int nic = 0; nic < posted.length; nic++) {
      if (isEnding(nic, now, graceNanos) || (isOut(nic) && silentNanos(nic, now) >= enough)) {
        stuck |= 1 << nic;
      }
    }
    stuck = stuck == 0 ? all : stuck;
    for (int nic = 0; nic < posted.length; nic++) {
      if ((stuck & 1 << nic) != 0 && !isEnding(nic, now, graceNanos)) {
        givenUp[nic] = posted[nic];
        givenUpAt[nic] = now;
      }
    }
    return stuck;
  }

  private boolean isOut(int nic) {
    return posted[nic] != ended[nic];
  }

  /** For as long as a NIC may take for it: one that breaks its promise holds up no other's end. */
  private boolean isEnding(int nic, long now, long graceNanos) {
    return ended[nic] < givenUp[nic] && now - givenUpAt[nic] < graceNanos;
  }

  private long silentNanos(int nic, long now) {
    return isOut(nic) ? now - changedAt[nic] : 0;
  }
}
