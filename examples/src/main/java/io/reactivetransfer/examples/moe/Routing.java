package io.reactivetransfer.examples.moe;

import io.reactivetransfer.moe.ExpertPlacement;
import java.util.Random;

/** Where the tokens of one rank go in a step, which every process computes from the seed. */
final class Routing {

  /** The number of a step in which the first rank has no tokens, and each next one has more. */
  static final int UNEVEN = 2;

  private final int tokens;
  private final int[] experts;
  private final float[] weights;

  private Routing(int tokens, int[] experts, float[] weights) {
    this.tokens = tokens;
    this.experts = experts;
    this.weights = weights;
  }

  /**
   * That of a step.
   *
   * @param ranks how many there are in the group
   */
  static Routing of(Plan plan, int step, int rank, int ranks) {
    int tokens = step == UNEVEN ? (int) ((long) plan.tokens() * rank / ranks) : plan.tokens();
    Random random = random(plan, step, rank);
    double[] popularity = new double[plan.experts()];
    double all = 0;
    for (int expert = 0; expert < popularity.length; expert++) {
      popularity[expert] = Math.pow(expert + 1.0, -plan.skew());
      all += popularity[expert];
    }
    int[] experts = new int[tokens * plan.topK()];
    float[] weights = new float[experts.length];
    int[] takenBy = new int[popularity.length];
    for (int token = 0; token < tokens; token++) {
      double left = all;
      for (int pair = token * plan.topK(); pair < (token + 1) * plan.topK(); pair++) {
        int expert = draw(popularity, takenBy, token + 1, random.nextDouble() * left);
        takenBy[expert] = token + 1;
        left -= popularity[expert];
        experts[pair] = expert;
        weights[pair] = random.nextFloat();
      }
    }
    return new Routing(tokens, experts, weights);
  }

  /** One of those that are not taken, each as likely as it is popular. */
  private static int draw(double[] popularity, int[] takenBy, int token, double at) {
    double left = at;
    int last = -1;
    for (int expert = 0; expert < popularity.length; expert++) {
      if (takenBy[expert] != token) {
        last = expert;
        left -= popularity[expert];
        if (left < 0) {
          break;
        }
      }
    }
    return last;
  }

  /** What a step of a rank has at random. */
  static Random random(Plan plan, int step, int rank) {
    return new Random((plan.seed() * 31 + step) * 65_537 + rank);
  }

  /** How many tokens there are. */
  int tokens() {
    return tokens;
  }

  /** The experts of each token, one token after the other; not a copy. */
  int[] experts() {
    return experts;
  }

  /** The weights of each expert of each token; not a copy. */
  float[] weights() {
    return weights;
  }

  /** How many pairs of a token and an expert go to each rank. */
  int[] pairs(ExpertPlacement placement) {
    int[] pairs = new int[placement.ranks()];
    for (int expert : experts) {
      pairs[placement.rankOf(placement.instance(expert, 0))]++;
    }
    return pairs;
  }
}
