package io.reactivetransfer.engine.target;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.engine.base.AfterPoll;
import io.reactivetransfer.engine.base.Counters;
import io.reactivetransfer.engine.base.Defects;
import io.reactivetransfer.engine.peers.Liveness;
import org.jspecify.annotations.Nullable;

/** Says which arrivals were lost because too much is unclaimed, and gives up who loses too many. */
final class LostArrivals {

  private final Liveness liveness;
  private final AfterPoll afterPoll;
  private final Defects defects;
  private final Counters counters;
  private final int maxUnclaimed;
  private final Unclaimed unclaimed;

  LostArrivals(
      Liveness liveness,
      AfterPoll afterPoll,
      Defects defects,
      Counters counters,
      int maxUnclaimed,
      Unclaimed unclaimed) {
    this.liveness = liveness;
    this.afterPoll = afterPoll;
    this.defects = defects;
    this.counters = counters;
    this.maxUnclaimed = maxUnclaimed;
    this.unclaimed = unclaimed;
  }

  /** There was no room for one under this immediate. */
  void add(int imm, @Nullable EngineId origin) {
    counters.add(Counters.DROPPED_IMMS, 1);
    Unclaimed.Share tooMuch = unclaimed.drop(origin, imm);
    if (unclaimed.isFirst(origin)) {
      defects.report(
          "the table of unclaimed immediates is full ("
              + maxUnclaimed
              + whose(origin)
              + "): arrivals are lost, first of immediate "
              + imm
              + "; claim them, discard them, or raise maxUnclaimedImms");
    }
    if (tooMuch != null) {
      lostTooMany(tooMuch.origin);
    }
  }

  private static String whose(@Nullable EngineId origin) {
    return origin == null ? "" : " of engine " + origin.toShortString();
  }

  /**
   * Nobody can say any more which claims wait in vain: an origin that the NIC names is given up; of
   * others every claim that would have to wait fails, until what they left is gone.
   */
  private void lostTooMany(@Nullable EngineId origin) {
    if (origin != null) {
      afterPoll.execute(() ->
          liveness.giveUp(
              origin,
              "more of its arrivals were lost than can be remembered, because nobody claims them"));
    }
  }
}
