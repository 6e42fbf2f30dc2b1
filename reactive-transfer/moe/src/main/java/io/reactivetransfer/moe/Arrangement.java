package io.reactivetransfer.moe;

import java.util.Arrays;

/**
 * Where the tokens of a step lie at the rank that gets them: by expert, and for each expert by
 * group, each group in its send order. Results go back by group. If experts compute in place, the
 * rows are those of the results that go back, and tokens are where they have come. Reused from step
 * to step; not thread-safe.
 */
final class Arrangement {

  private final ExpertPlacement placement;
  private final int rank;
  private final int groups;
  private final int experts;
  private final int alignment;
  private final boolean isInPlace;
  private final int[] counts;
  private final int[] firstRow;

  /** For each expert and group, how many tokens of groups before it the expert has. */
  private final int[] before;

  private final int[] rows;
  private final int[] firstOfBlock;
  private final int ownGroup;

  /** Where tokens have come. */
  final Slots slots;

  /** The number of the first pair that this rank's own group has for it, and their rows. */
  private int firstOwn;

  private final int[] ownRows;

  Arrangement(MoeShape shape, int rank) {
    this.placement = shape.placement();
    this.rank = rank;
    groups = shape.groups().groups();
    experts = placement.expertsOn(rank);
    alignment = shape.expertAlignment();
    isInPlace = shape.isInPlace();
    counts = new int[experts];
    firstRow = new int[experts];
    before = new int[experts * groups];
    rows = new int[experts * groups];
    firstOfBlock = new int[groups + 1];
    ownGroup = shape.groups().groupOf(rank);
    slots = new Slots(shape, rank);
    ownRows = new int[shape.maxTokens() * Math.min(shape.topK(), experts)];
  }

  /** Takes the routes of a step that is not refused. */
  void compute(RouteTable table) {
    int row = 0;
    Arrays.fill(firstOfBlock, 0);
    for (int expert = 0; expert < experts; expert++) {
      int instance = placement.firstInstance(rank) + expert;
      row = Math.ceilDiv(row, alignment) * alignment;
      firstRow[expert] = row;
      for (int group = 0; group < groups; group++) {
        int count = table.count(group, instance);
        before[expert * groups + group] = row - firstRow[expert];
        rows[expert * groups + group] = row;
        firstOfBlock[group + 1] += count;
        row += count;
      }
      counts[expert] = row - firstRow[expert];
    }
    for (int group = 0; group < groups; group++) {
      firstOfBlock[group + 1] += firstOfBlock[group];
    }
    if (isInPlace) {
      slots.compute(table);
      useBlocks();
    }
    firstOwn = table.firstPair(ownGroup, rank);
    int own = 0;
    for (int expert = 0; expert < experts; expert++) {
      int first = row(expert, ownGroup);
      for (int i = 0; i < count(expert, ownGroup); i++) {
        ownRows[own++] = first + i;
      }
    }
  }

  /** Results lie in the order in which they go back. */
  private void useBlocks() {
    for (int group = 0; group < groups; group++) {
      int row = firstOfBlock[group];
      for (int expert = 0; expert < experts; expert++) {
        rows[expert * groups + group] = row;
        row += count(expert, group);
      }
    }
  }

  /** How many experts this rank holds. */
  int experts() {
    return experts;
  }

  /** How many tokens one of this rank's experts gets. */
  int count(int expert) {
    return counts[expert];
  }

  /** The row of its first token, a multiple of the alignment. Not of experts in place. */
  int firstRow(int expert) {
    return firstRow[expert];
  }

  /** The first expert behind this one before whose tokens there is a gap; experts() if none is. */
  int next(int expert) {
    int next = expert + 1;
    while (next < experts && firstRow[next] == firstRow[next - 1] + counts[next - 1]) {
      next++;
    }
    return next;
  }

  /** How many tokens lie from those of this expert on to the next gap. */
  int rowsFrom(int expert) {
    int last = next(expert) - 1;
    return firstRow[last] + counts[last] - firstRow[expert];
  }

  /** The row of the first token that it gets from a group. */
  int row(int expert, int group) {
    return rows[expert * groups + group];
  }

  /** The row of a pair of this rank's own group that goes to this rank. */
  int rowOfOwn(int place) {
    return ownRows[place - firstOwn];
  }

  /** How many of an expert's tokens come from a group. */
  int count(int expert, int group) {
    int at = expert * groups + group;
    int end = group + 1 < groups ? before[at + 1] : counts[expert];
    return end - before[at];
  }

  /** How many of an expert's tokens come from groups before this one. */
  int before(int expert, int group) {
    return before[expert * groups + group];
  }

  /** The group from which an expert has its i-th token, from 0 on. */
  int groupOf(int expert, int i) {
    int low = 0;
    int high = groups - 1;
    while (low < high) { // the last one before whose tokens there are at most i
      int middle = (low + high + 1) >>> 1;
      if (before[expert * groups + middle] <= i) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    return low;
  }

  /** How many tokens this rank gets from a group. */
  int pairs(int group) {
    return firstOfBlock[group + 1] - firstOfBlock[group];
  }

  /** The place of the first result for a group, among those for all groups. */
  int firstOfBlock(int group) {
    return firstOfBlock[group];
  }

  /** How many tokens this rank gets. */
  int received() {
    return firstOfBlock[groups];
  }
}
