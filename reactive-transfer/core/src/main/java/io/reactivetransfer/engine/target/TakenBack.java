package io.reactivetransfer.engine.target;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.engine.base.WireImm;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How much an origin may take back: what has come from it, under whatever immediate, and what may
 * be on its way. What has come from origins that are not told apart may be of any of them. Belongs
 * to the NIC thread.
 */
final class TakenBack {

  /** So many writes may come after their origin has taken them back: more than it has out. */
  static final long LATE = 1L << 20;

  /** So many origins are told apart; of more, the one that came first is not any more. */
  static final int MAX_ORIGINS = 1 << 14;

  /** What has come from one origin and was not taken back, in shares; below 0 for what is late. */
  private static final class Rest {
    private long shares;
  }

  private final LinkedHashMap<EngineId, Rest> rests = new LinkedHashMap<>();

  /** What has come from those that are not told apart, in shares. */
  private long ofOthers;

  /** So many pieces have come, of whole writes at most. */
  void came(@Nullable EngineId origin, int pieces) {
    long shares = (long) pieces * WireImm.SHARES;
    if (origin == null) {
      ofOthers += shares;
    } else {
      of(origin).shares += shares;
    }
  }

  /** An origin takes so much back: how much of that it may. */
  long believed(EngineId origin, long shares) {
    Rest rest = of(origin);
    long believed = Math.min(shares, Math.max(0, rest.shares + ofOthers + LATE * WireImm.SHARES));
    rest.shares -= believed;
    return believed;
  }

  /** How many origins it tells apart. */
  int origins() {
    return rests.size();
  }

  private Rest of(EngineId origin) {
    Rest known = rests.get(origin);
    if (known != null) {
      return known;
    }
    if (rests.size() >= MAX_ORIGINS) {
      Map.Entry<EngineId, Rest> first = rests.pollFirstEntry();
      ofOthers += first == null ? 0 : Math.max(0, first.getValue().shares);
    }
    Rest rest = new Rest();
    rests.put(origin, rest);
    return rest;
  }
}
