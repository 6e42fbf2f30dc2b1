package io.reactivetransfer.moe;

import java.util.Arrays;
import java.util.Objects;

/**
 * Which ranks hold which experts: any map, in which each expert is on one rank or more. An expert
 * on a rank is an <em>instance</em>; instances are numbered by rank, and on a rank by expert.
 * Immutable.
 */
public final class ExpertPlacement {

  /** The most ranks. */
  public static final int MAX_RANKS = 1 << 16;

  /** The most instances, and so the most experts. */
  public static final int MAX_INSTANCES = 1 << 20;

  private final int ranks;
  private final int[] first;
  private final int[] rankOfInstance;
  private final int[] expertOfInstance;
  private final int[][] instancesOfExpert;

  private ExpertPlacement(int ranks, int[][] ranksOf, int instances) {
    this.ranks = ranks;
    first = new int[ranks + 1];
    for (int[] holders : ranksOf) {
      for (int rank : holders) {
        first[rank + 1]++;
      }
    }
    for (int rank = 0; rank < ranks; rank++) {
      first[rank + 1] += first[rank];
    }
    rankOfInstance = new int[instances];
    expertOfInstance = new int[instances];
    instancesOfExpert = new int[ranksOf.length][];
    int[] next = first.clone();
    for (int expert = 0; expert < ranksOf.length; expert++) {
      int[] sorted = ranksOf[expert].clone();
      Arrays.sort(sorted);
      instancesOfExpert[expert] = new int[sorted.length];
      for (int i = 0; i < sorted.length; i++) {
        int instance = next[sorted[i]]++;
        rankOfInstance[instance] = sorted[i];
        expertOfInstance[instance] = expert;
        instancesOfExpert[expert][i] = instance;
      }
    }
  }

  /**
   * Each expert on the ranks that are named for it: {@code of(2, new int[][] {{0}, {1}, {0, 1}})}
   * is three experts, the last one on both ranks.
   *
   * @param ranks how many ranks there are, 1 to {@link #MAX_RANKS}; some may hold nothing
   * @param ranksOf for each expert at least one rank, all different
   */
  public static ExpertPlacement of(int ranks, int[][] ranksOf) {
    Objects.requireNonNull(ranksOf, "ranksOf");
    Checks.between("ranks", ranks, 1, MAX_RANKS);
    Checks.between("experts", ranksOf.length, 1, MAX_INSTANCES);
    long instances = 0;
    int[] seenFor = new int[ranks];
    for (int expert = 0; expert < ranksOf.length; expert++) {
      int[] holders = Objects.requireNonNull(ranksOf[expert], "ranksOf[" + expert + "]");
      if (holders.length == 0) {
        throw new IllegalArgumentException(
            "expected at least one rank for expert " + expert + ", got none");
      }
      for (int rank : holders) {
        if (rank < 0 || rank >= ranks) {
          throw new IllegalArgumentException(
              "expected ranks of 0 to " + (ranks - 1) + " for expert " + expert + ", got " + rank);
        }
        if (seenFor[rank] == expert + 1) {
          throw new IllegalArgumentException(
              "expected different ranks for expert " + expert + ", got rank " + rank + " twice");
        }
        seenFor[rank] = expert + 1;
      }
      instances += holders.length;
    }
    if (instances > MAX_INSTANCES) {
      throw new IllegalArgumentException(
          "expected at most " + MAX_INSTANCES + " experts on all ranks, got " + instances);
    }
    return new ExpertPlacement(ranks, ranksOf, (int) instances);
  }

  /**
   * Each expert on one rank: the first experts on the first rank and so on, as evenly as it goes.
   *
   * @param ranks 1 to {@link #MAX_RANKS}
   * @param experts 1 to {@link #MAX_INSTANCES}
   */
  public static ExpertPlacement even(int ranks, int experts) {
    Checks.between("ranks", ranks, 1, MAX_RANKS);
    Checks.between("experts", experts, 1, MAX_INSTANCES);
    int[][] ranksOf = new int[experts][];
    for (int expert = 0; expert < experts; expert++) {
      ranksOf[expert] = new int[] {(int) ((long) expert * ranks / experts)};
    }
    return new ExpertPlacement(ranks, ranksOf, experts);
  }

  /** How many ranks there are. */
  public int ranks() {
    return ranks;
  }

  /** How many experts there are. */
  public int experts() {
    return instancesOfExpert.length;
  }

  /** How many instances there are, on all ranks together. */
  public int instances() {
    return rankOfInstance.length;
  }

  /** How many experts a rank holds. */
  public int expertsOn(int rank) {
    return first[rank + 1] - first[rank];
  }

  /** The most that any rank holds. */
  public int mostOnARank() {
    int most = 0;
    for (int rank = 0; rank < ranks; rank++) {
      most = Math.max(most, expertsOn(rank));
    }
    return most;
  }

  /** The first instance on a rank; for the number of ranks, how many instances there are. */
  public int firstInstance(int rank) {
    return first[rank];
  }

  /** Where an instance is. */
  public int rankOf(int instance) {
    return rankOfInstance[instance];
  }

  /** Which expert an instance is. */
  public int expertOf(int instance) {
    return expertOfInstance[instance];
  }

  /** On how many ranks an expert is. */
  public int replicas(int expert) {
    return instancesOfExpert[expert].length;
  }

  /**
   * One of an expert's instances, of 0 to {@code replicas(expert) - 1}; they rise with the rank.
   */
  public int instance(int expert, int replica) {
    return instancesOfExpert[expert][replica];
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof ExpertPlacement that
        && ranks == that.ranks
        && Arrays.deepEquals(instancesOfExpert, that.instancesOfExpert)
        && Arrays.equals(rankOfInstance, that.rankOfInstance);
  }

  @Override
  public int hashCode() {
    return Objects.hash(ranks, experts(), Arrays.hashCode(rankOfInstance));
  }

  /** How many; not where. */
  @Override
  public String toString() {
    return experts()
        + " experts on "
        + ranks
        + " ranks"
        + (instances() == experts() ? "" : ", in " + instances() + " instances");
  }

  /** What says of two placements, almost certainly, whether they are the same. */
  long digest(long seed) {
    long digest = Checks.mix(seed, ranks);
    for (int instance = 0; instance < rankOfInstance.length; instance++) {
      digest = Checks.mix(Checks.mix(digest, rankOfInstance[instance]), expertOfInstance[instance]);
    }
    return digest;
  }
}
