package io.reactivetransfer.weights.plan;

import io.reactivetransfer.weights.Rank;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What each rank and each NIC has to send so far. Of ranks that can send the same, that one does
 * which has the least.
 */
final class Loads {

  private final long[] ofRanks;
  private final long[] ofNics;

  /** The NICs of each rank. */
  private final int[][] nics;

  Loads(List<Rank> ranks) {
    Map<String, Integer> names = new HashMap<>();
    nics = new int[ranks.size()][];
    for (int i = 0; i < nics.length; i++) {
      nics[i] =
          ranks.get(i).nics().stream()
              .mapToInt(nic -> names.computeIfAbsent(nic, _ -> names.size()))
              .toArray();
    }
    ofRanks = new long[nics.length];
    ofNics = new long[names.size()];
  }

  void add(int rank, long bytes) {
    ofRanks[rank] += bytes;
    long share = bytes / nics[rank].length;
    for (int nic : nics[rank]) {
      ofNics[nic] += share;
    }
  }

  /** Adds bytes to that of these which has the least. */
  int addToLeast(List<Holding> holdings, long bytes) {
    int rank = least(holdings);
    add(rank, bytes);
    return rank;
  }

  /** The rank that has the least to do; of several, the first one. */
  int least(List<Holding> holdings) {
    int best = holdings.getFirst().rank();
    for (int i = 1; i < holdings.size(); i++) {
      int rank = holdings.get(i).rank();
      if (isLess(rank, best)) {
        best = rank;
      }
    }
    return best;
  }

  /** Its own bytes and those of its busiest NIC count alike, so that neither has too many. */
  boolean isLess(int rank, int other) {
    return busiest(rank) + ofRanks[rank] < busiest(other) + ofRanks[other];
  }

  private long busiest(int rank) {
    long most = 0;
    for (int nic : nics[rank]) {
      most = Math.max(most, ofNics[nic]);
    }
    return most;
  }
}
