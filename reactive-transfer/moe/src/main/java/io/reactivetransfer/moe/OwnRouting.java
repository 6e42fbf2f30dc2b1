package io.reactivetransfer.moe;

import java.util.Arrays;

/**
 * Where the tokens of one's own group go in a step: how many to each instance, and the number of
 * each pair of a token and an expert in the order in which they are sent. All members of a group
 * compute the same from the same experts. Reused from step to step; not thread-safe.
 */
final class OwnRouting {

  private final MoeShape shape;
  private final int group;
  private final int[] counts;
  private final int[] before;
  private final int[] places;
  private final int[] ranks;

  /** By the number of a pair in send order, its token. */
  private final int[] tokenOf;

  private final int[] lastToken;
  private final int[] nextReplica;
  private final int[] nextPlace;
  private int tokens;
  private long digest;

  OwnRouting(MoeShape shape, int group) {
    this.shape = shape;
    this.group = group;
    counts = new int[shape.placement().instances()];
    nextPlace = new int[counts.length];
    before = new int[counts.length + 1];
    places = new int[shape.maxPairs()];
    ranks = new int[places.length];
    tokenOf = new int[places.length];
    lastToken = new int[shape.placement().experts()];
    nextReplica = new int[shape.placement().experts()];
  }

  /**
   * Takes the experts of each token, one token after the other.
   *
   * @throws IllegalArgumentException if there are too many tokens or too few experts, or one is out
   *     of range or named twice for a token; nothing of a step has begun then
   */
  void route(int tokens, int[] experts) {
    Checks.between("tokens", tokens, 0, shape.maxTokens());
    int topK = shape.topK();
    int pairs = tokens * topK;
    if (experts.length < pairs) {
      throw new IllegalArgumentException(
          "expected "
              + topK
              + " experts for each of "
              + tokens
              + " tokens, got "
              + experts.length
              + " in all");
    }
    Arrays.fill(lastToken, 0);
    Arrays.fill(nextReplica, 0);
    Arrays.fill(counts, 0);
    ExpertPlacement placement = shape.placement();
    long mixed = tokens;
    for (int pair = 0; pair < pairs; pair++) {
      int expert = experts[pair];
      int token = pair / topK;
      requireExpert(expert, token, pair % topK);
      lastToken[expert] = token + 1;
      int replicas = placement.replicas(expert);
      int instance =
          placement.instance(
              expert,
              replicas == 1 ? 0 : (int) (((long) nextReplica[expert]++ + group) % replicas));
      counts[instance]++;
      places[pair] = instance;
      mixed = Checks.mix(mixed, expert);
    }
    int place = 0;
    for (int instance = 0; instance < counts.length; instance++) {
      nextPlace[instance] = place;
      before[instance] = place;
      place += counts[instance];
    }
    before[counts.length] = place;
    for (int pair = 0; pair < pairs; pair++) {
      int instance = places[pair];
      int next = nextPlace[instance]++;
      places[pair] = next;
      tokenOf[next] = pair / topK;
      ranks[pair] = placement.rankOf(instance);
    }
    this.tokens = tokens;
    digest = mixed;
  }

  private void requireExpert(int expert, int token, int k) {
    if (expert < 0 || expert >= lastToken.length) {
      throw new IllegalArgumentException(
          "expected experts of 0 to "
              + (lastToken.length - 1)
              + ", got "
              + expert
              + " as number "
              + k
              + " of token "
              + token);
    }
    if (lastToken[expert] == token + 1) {
      throw new IllegalArgumentException(
          "expected different experts for each token, got expert "
              + expert
              + " twice for token "
              + token
              + ", the second time as number "
              + k);
    }
  }

  int tokens() {
    return tokens;
  }

  /** How many pairs go to each instance; not a copy. */
  int[] counts() {
    return counts;
  }

  /** How many pairs go to a rank. */
  int pairs(int rank) {
    return firstPair(rank + 1) - firstPair(rank);
  }

  /** The number of the first of them in send order; for the number of ranks, how many there are. */
  int firstPair(int rank) {
    return before[shape.placement().firstInstance(rank)];
  }

  /** The number of a pair in send order, and so of its result. */
  int place(int pair) {
    return places[pair];
  }

  /** The token of the pair that has this number in send order. */
  int token(int place) {
    return tokenOf[place];
  }

  /** To which rank a pair goes. */
  int rank(int pair) {
    return ranks[pair];
  }

  /** Almost certainly another one for other experts. */
  long digest() {
    return digest;
  }
}
