package io.reactivetransfer.moe;

import java.util.Arrays;
import java.util.Objects;

/**
 * Which ranks hold the same tokens, as the tensor-parallel ranks of one data-parallel group do. All
 * members of a group begin each step with the same tokens, experts and weights, and get the same
 * sums; to each rank outside of it one member sends them. Other numbers of tokens and other experts
 * of two members are noticed, and the step is refused; other weights and other bytes of tokens are
 * not. Immutable.
 */
public final class RankGroups {

  private final int[] groupOf;
  private final int[][] members;
  private final int[] placeInGroup;

  private RankGroups(int[] groupOf, int groups) {
    this.groupOf = groupOf;
    int[] sizes = new int[groups];
    for (int group : groupOf) {
      sizes[group]++;
    }
    members = new int[groups][];
    for (int group = 0; group < groups; group++) {
      if (sizes[group] == 0) {
        throw new IllegalArgumentException(
            "expected groups that are numbered without a gap, got none with the number " + group);
      }
      members[group] = new int[sizes[group]];
    }
    placeInGroup = new int[groupOf.length];
    Arrays.fill(sizes, 0);
    for (int rank = 0; rank < groupOf.length; rank++) {
      int group = groupOf[rank];
      placeInGroup[rank] = sizes[group];
      members[group][sizes[group]++] = rank;
    }
  }

  /** Each rank has tokens of its own. */
  public static RankGroups single(int ranks) {
    return equal(ranks, 1);
  }

  /**
   * The first ranks are the first group, and so on.
   *
   * @param ranks 1 to {@link ExpertPlacement#MAX_RANKS}, a multiple of the size
   * @param size how many ranks a group has, 1 or more
   */
  public static RankGroups equal(int ranks, int size) {
    Checks.between("ranks", ranks, 1, ExpertPlacement.MAX_RANKS);
    Checks.between("ranks in a group", size, 1, ranks);
    if (ranks % size != 0) {
      throw new IllegalArgumentException(
          "expected a number of ranks that groups of " + size + " divide, got " + ranks);
    }
    int[] groupOf = new int[ranks];
    Arrays.setAll(groupOf, rank -> rank / size);
    return new RankGroups(groupOf, ranks / size);
  }

  /**
   * The group of each rank.
   *
   * @param groupOf numbers from 0 on without a gap
   */
  public static RankGroups of(int... groupOf) {
    Objects.requireNonNull(groupOf, "groupOf");
    Checks.between("ranks", groupOf.length, 1, ExpertPlacement.MAX_RANKS);
    int groups = 0;
    for (int rank = 0; rank < groupOf.length; rank++) {
      Checks.between("a group of rank " + rank, groupOf[rank], 0, groupOf.length - 1);
      groups = Math.max(groups, groupOf[rank] + 1);
    }
    return new RankGroups(groupOf.clone(), groups);
  }

  /** How many ranks there are. */
  public int ranks() {
    return groupOf.length;
  }

  /** How many groups there are. */
  public int groups() {
    return members.length;
  }

  /** The group of a rank. */
  public int groupOf(int rank) {
    return groupOf[rank];
  }

  /** How many ranks a group has. */
  public int size(int group) {
    return members[group].length;
  }

  /** One member of a group; they rise. */
  public int member(int group, int place) {
    return members[group][place];
  }

  /** Who sends the tokens of a group to a rank: that rank itself, if it is a member. */
  public int sender(int group, int target) {
    int[] those = members[group];
    return groupOf[target] == group ? target : those[target % those.length];
  }

  /** Whether a rank is the first member of its group. */
  boolean isFirst(int rank) {
    return placeInGroup[rank] == 0;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof RankGroups that && Arrays.equals(groupOf, that.groupOf);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(groupOf);
  }

  @Override
  public String toString() {
    return groups() == ranks() ? "each rank a group" : groups() + " groups of ranks";
  }

  /** What says, almost certainly, whether two are the same. */
  long digest(long seed) {
    long digest = seed;
    for (int group : groupOf) {
      digest = Checks.mix(digest, group);
    }
    return digest;
  }
}
