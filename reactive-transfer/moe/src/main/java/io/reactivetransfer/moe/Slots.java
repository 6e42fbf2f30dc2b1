package io.reactivetransfer.moe;

import io.reactivetransfer.moe.MoeMemory.Section;

/**
 * Where the tokens of a step lie that a rank has got and not copied, each group's in its send
 * order: those of its own group where they were put to be sent, the first ones of another one in
 * its private slots, and the rest in the overflow. Reused from step to step; not thread-safe.
 */
final class Slots {

  private final MoeShape shape;
  private final int rank;
  private final int ownGroup;

  /** For each group, how many of its tokens lie one behind the other from the first one on. */
  private final int[] early;

  /** For each group, the slot of the first of these in their section. */
  private final int[] firstEarly;

  /** For each group, the slot of the first one behind these in the overflow. */
  private final int[] firstLate;

  Slots(MoeShape shape, int rank) {
    this.shape = shape;
    this.rank = rank;
    ownGroup = shape.groups().groupOf(rank);
    early = new int[shape.groups().groups()];
    firstEarly = new int[early.length];
    firstLate = new int[early.length];
  }

  /** Takes the routes of a step that is not refused. */
  void compute(RouteTable table) {
    int late = 0;
    for (int group = 0; group < early.length; group++) {
      boolean isOwn = group == ownGroup;
      early[group] = isOwn ? table.pairs(group, rank) : table.privatePairs(group, rank);
      firstEarly[group] = isOwn ? table.firstPair(group, rank) : table.privateSlot(group, rank);
      firstLate[group] = late;
      late += table.overflowPairs(group, rank);
    }
  }

  /** How many of those that a group has for the rank lie before all others of it, in a row. */
  int early(int group) {
    return early[group];
  }

  /** In which section one of those lies that a group has for the rank, counted from 0 on. */
  Section section(int group, int pair) {
    return pair >= early[group]
        ? Section.OVERFLOW
        : group == ownGroup ? Section.SEND : Section.PRIVATE;
  }

  /** How many bytes behind the beginning of the section. */
  long offset(int group, int pair) {
    int first = early[group];
    int slot = pair < first ? firstEarly[group] + pair : firstLate[group] + pair - first;
    return slot * shape.tokenStride();
  }
}
