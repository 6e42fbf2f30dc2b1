package io.reactivetransfer.moe;

import java.util.Arrays;
import java.util.Random;

/** Shapes and routings of all kinds, decided by a seed. */
final class RandomSteps {

  private final Random random;

  RandomSteps(long seed) {
    this.random = new Random(seed);
  }

  int between(int min, int max) {
    return min + random.nextInt(max - min + 1);
  }

  boolean chance(int percent) {
    return random.nextInt(100) < percent;
  }

  long seed() {
    return random.nextLong();
  }

  float nextWeight() {
    return random.nextFloat() * 2 - 0.5f;
  }

  /** Any placement: experts in several places, ranks without any. */
  ExpertPlacement placement(int ranks) {
    int experts = between(1, 3 * ranks);
    if (chance(20)) {
      return ExpertPlacement.even(ranks, experts);
    }
    int[][] ranksOf = new int[experts][];
    for (int expert = 0; expert < experts; expert++) {
      int holders = chance(70) ? 1 : between(1, Math.min(ranks, 4));
      ranksOf[expert] = some(ranks, holders);
    }
    return ExpertPlacement.of(ranks, ranksOf);
  }

  /** Different numbers below a bound. */
  int[] some(int below, int count) {
    int[] all = new int[below];
    Arrays.setAll(all, i -> i);
    for (int i = 0; i < count; i++) {
      int other = between(i, below - 1);
      int swapped = all[i];
      all[i] = all[other];
      all[other] = swapped;
    }
    return Arrays.copyOf(all, count);
  }

  RankGroups groups(int ranks) {
    if (chance(60)) {
      return RankGroups.single(ranks);
    }
    int groups = between(1, ranks);
    int[] groupOf = new int[ranks];
    int[] order = some(ranks, ranks);
    for (int i = 0; i < ranks; i++) {
      groupOf[order[i]] = i < groups ? i : between(0, groups - 1);
    }
    return RankGroups.of(groupOf);
  }

  MoeShape.Builder shape(int ranks) {
    ExpertPlacement placement = placement(ranks);
    int topK = between(1, Math.min(placement.experts(), 8));
    boolean isInPlace = chance(50);
    MoeShape.Builder shape =
        MoeShape.builder(placement, topK, between(1, 12), between(1, 70), between(1, 9))
            .groups(groups(ranks))
            .resultType(FloatType.values()[between(0, 2)])
            .sumType(FloatType.values()[between(0, 2)])
            .inPlace(isInPlace)
            .expertAlignment(isInPlace || chance(50) ? 1 : between(1, 9));
    return chance(40) ? shape : shape.privateTokens(between(0, 6));
  }

  /** How many tokens a group has: none, few, all that it may. */
  int tokens(MoeShape shape) {
    return chance(15) ? 0 : chance(30) ? shape.maxTokens() : between(0, shape.maxTokens());
  }

  /** Different experts for each token: spread evenly, skewed, or as few as it goes. */
  int[] experts(MoeShape shape, int tokens) {
    int all = shape.placement().experts();
    int topK = shape.topK();
    int[] experts = new int[tokens * topK];
    int kind = between(0, 2);
    int hot = between(topK, all);
    int first = between(0, all - 1);
    for (int token = 0; token < tokens; token++) {
      int few = kind == 0 ? all : kind == 1 && chance(30) ? all : kind == 1 ? hot : topK;
      int[] chosen = some(few, topK);
      for (int k = 0; k < topK; k++) {
        experts[token * topK + k] = (first + chosen[k]) % all;
      }
    }
    return experts;
  }
}
