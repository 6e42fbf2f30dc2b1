package io.reactivetransfer.simulation.weights;

import java.util.Collection;
import java.util.HashMap;
import java.util.Map;

/** How much of each mesh group has come to the ranks of one update, while groups take turns. */
final class Turns {

  private final Groups groups;

  /** Of each group, how many bytes have not come yet. */
  private final long[] left;

  /** Of each rank, each byte of its regions that has come. */
  private final Map<Integer, boolean[][]> there = new HashMap<>();

  Turns(Groups groups, Collection<Integer> ranks) {
    this.groups = groups;
    this.left = new long[groups.count()];
    for (int rank : ranks) {
      int[][] of = groups.of(rank);
      boolean[][] come = new boolean[of.length][];
      for (int region = 0; region < of.length; region++) {
        come[region] = new boolean[of[region].length];
        for (int group : of[region]) {
          if (group != Groups.NONE) {
            left[group]++;
          }
        }
      }
      there.put(rank, come);
    }
  }

  /** The first group whose turn comes before that of a byte, and that is not over; or none. */
  int notOver(int rank, int region, long at) {
    int turn = groups.of(rank)[region][Math.toIntExact(at)];
    for (int group = 0; group < turn; group++) {
      if (left[group] > 0) {
        return group;
      }
    }
    return Groups.NONE;
  }

  /** A byte has come. */
  void come(int rank, int region, long at) {
    boolean[][] come = there.get(rank);
    int group = groups.of(rank)[region][Math.toIntExact(at)];
    if (come != null && group != Groups.NONE && !come[region][Math.toIntExact(at)]) {
      come[region][Math.toIntExact(at)] = true;
      left[group]--;
    }
  }
}
