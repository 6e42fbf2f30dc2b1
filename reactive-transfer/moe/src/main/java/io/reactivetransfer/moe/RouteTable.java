package io.reactivetransfer.moe;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The routes of all groups in one step, and what follows from them: who has how many tokens for
 * whom, and where these lie. Every rank computes the same from the same rows. Reused from step to
 * step; not thread-safe.
 */
final class RouteTable {

  private final MoeShape shape;
  private final ExpertPlacement placement;
  private final RankGroups groups;
  private final MoeMemory[] memories;

  /** For each group, how many of its pairs come before each instance in send order. */
  private final int[][] before;

  private final int[] tokens;
  private final RouteRow[] rows;

  RouteTable(MoeShape shape) {
    this.shape = shape;
    placement = shape.placement();
    groups = shape.groups();
    before = new int[groups.groups()][placement.instances() + 1];
    tokens = new int[groups.groups()];
    memories = new MoeMemory[shape.ranks()];
    Arrays.setAll(memories, shape::memory);
    rows = new RouteRow[shape.ranks()];
    Arrays.setAll(rows, _ -> new RouteRow(shape));
  }

  /** A rank whose row is not what it has to be, and why. */
  record BadRow(int rank, String why) {}

  /**
   * Takes the rows of all ranks.
   *
   * @return the first bad one, or null; a table of bad rows must not be used
   */
  @Nullable BadRow read(MemorySegment[] written, long step) {
    return read(written, -1, null, step);
  }

  /**
   * The same, but for the row of one rank, which is taken from its own routing: what it has sent
   * lies where others may write, and says which tokens it sends.
   */
  @Nullable BadRow read(MemorySegment[] written, int own, @Nullable OwnRouting routing, long step) {
    for (int rank = 0; rank < rows.length; rank++) {
      if (rank == own && routing != null) {
        rows[rank].take(routing);
        continue;
      }
      String problem = rows[rank].read(written[rank], shape, step);
      if (problem != null) {
        return new BadRow(rank, problem);
      }
    }
    for (int group = 0; group < before.length; group++) {
      RouteRow row = rows[groups.member(group, 0)];
      tokens[group] = row.tokens();
      int[] of = before[group];
      int sum = 0;
      for (int instance = 0; instance < of.length - 1; instance++) {
        of[instance] = sum;
        sum += row.count(instance);
      }
      of[of.length - 1] = sum;
    }
    return null;
  }

  /**
   * Why no rank may go on with this step, or null. The same text on every rank, since all look at
   * the same rows.
   */
  @Nullable String refusal() {
    for (int rank = 0; rank < rows.length; rank++) {
      if (!groups.isFirst(rank)) {
        int first = groups.member(groups.groupOf(rank), 0);
        if (!rows[first].isSameAs(rows[rank])) {
          return "expected ranks "
              + first
              + " and "
              + rank
              + ", which are of one group, to begin with the same tokens and experts, got "
              + rows[first].tokens()
              + " and "
              + rows[rank].tokens()
              + " tokens, or other experts";
        }
      }
    }
    for (int rank = 0; rank < memories.length; rank++) {
      long received = received(rank);
      if (received > memories[rank].received()) {
        return "expected at most "
            + memories[rank].received()
            + " tokens for rank "
            + rank
            + ", got "
            + received
            + "; a greater maxReceived takes them, at the price of memory";
      }
    }
    return null;
  }

  /** How many tokens a group has. */
  int tokens(int group) {
    return tokens[group];
  }

  /** How many pairs a group has for an instance. */
  int count(int group, int instance) {
    return before[group][instance + 1] - before[group][instance];
  }

  /** How many pairs a group has for a rank. */
  int pairs(int group, int rank) {
    int[] of = before[group];
    return of[placement.firstInstance(rank + 1)] - of[placement.firstInstance(rank)];
  }

  /** The number of the first of these in the group's send order. */
  int firstPair(int group, int rank) {
    return before[group][placement.firstInstance(rank)];
  }

  /** How many pairs a rank gets, those of its own group included. */
  long received(int rank) {
    long sum = 0;
    for (int group = 0; group < before.length; group++) {
      sum += pairs(group, rank);
    }
    return sum;
  }

  /** How many pairs of a group for a rank go to private slots. */
  int privatePairs(int group, int rank) {
    return groups.groupOf(rank) == group
        ? 0
        : Math.min(memories[rank].privateSlots(), pairs(group, rank));
  }

  /** How many go to the overflow. */
  int overflowPairs(int group, int rank) {
    return groups.groupOf(rank) == group ? 0 : pairs(group, rank) - privatePairs(group, rank);
  }

  /** How many private slots each other group has at a rank. */
  int privateSlots(int rank) {
    return memories[rank].privateSlots();
  }

  /** The first private slot of a group at a rank that is not of it. */
  int privateSlot(int group, int rank) {
    int others = group < groups.groupOf(rank) ? group : group - 1;
    return others * memories[rank].privateSlots();
  }

  /** The slot of the overflow at a rank where that of a group begins. */
  int overflowSlot(int group, int rank) {
    int sum = 0;
    for (int other = 0; other < group; other++) {
      sum += overflowPairs(other, rank);
    }
    return sum;
  }

  /** How many writes of tokens a rank gets from others. */
  int tokenWrites(int rank) {
    int writes = privateWrites(rank);
    for (int group = 0; group < before.length; group++) {
      writes += overflowPairs(group, rank) > 0 ? 1 : 0;
    }
    return writes;
  }

  /**
   * How many of these go to private slots. By the rows of those who send them: in a step that is
   * refused because members of a group disagree, these have sent what they say themselves.
   */
  int privateWrites(int rank) {
    int writes = 0;
    for (int group = 0; group < before.length; group++) {
      boolean isOther = groups.groupOf(rank) != group && memories[rank].privateSlots() > 0;
      writes += isOther && hasPairs(groups.sender(group, rank), rank) ? 1 : 0;
    }
    return writes;
  }

  /** Whether a rank says that its group has pairs for another one. */
  private boolean hasPairs(int sender, int rank) {
    int end = placement.firstInstance(rank + 1);
    for (int instance = placement.firstInstance(rank); instance < end; instance++) {
      if (rows[sender].count(instance) > 0) {
        return true;
      }
    }
    return false;
  }
}
