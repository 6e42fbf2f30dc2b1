package io.reactivetransfer.moe;

import java.util.Objects;

/**
 * What all ranks of a group agree on before the first step. Immutable; made by {@link #builder}.
 * The same on every rank, or {@link MoeNode#join} fails on every rank.
 */
public final class MoeShape {

  /** The most lanes. */
  public static final int MAX_LANES = 64;

  private final ExpertPlacement placement;
  private final RankGroups groups;
  private final int topK;
  private final int maxTokens;
  private final int tokenBytes;
  private final int hidden;
  private final FloatType resultType;
  private final FloatType sumType;
  private final int privateTokens;
  private final int maxReceived;
  private final int expertAlignment;
  private final boolean isInPlace;
  private final int lanes;

  private MoeShape(Builder from) {
    placement = from.placement;
    groups = from.groups;
    topK = from.topK;
    maxTokens = from.maxTokens;
    tokenBytes = from.tokenBytes;
    hidden = from.hidden;
    resultType = from.resultType;
    sumType = from.sumType;
    privateTokens = from.privateTokens < 0 ? usualPrivateTokens(from) : from.privateTokens;
    maxReceived = from.maxReceived;
    expertAlignment = from.expertAlignment;
    isInPlace = from.isInPlace;
    lanes = from.lanes;
  }

  /** A fifth more than what a group sends to the rank with most experts if it spreads evenly. */
  private static int usualPrivateTokens(Builder from) {
    long pairs = (long) from.maxTokens * from.topK;
    long toOne = Math.ceilDiv(pairs, (long) from.placement.instances());
    long slots = Math.ceilDiv(toOne * 6, 5L) * from.placement.mostOnARank();
    return (int) Math.min(slots, pairs);
  }

  /**
   * Begins with these, which have no default.
   *
   * @param placement which ranks hold which experts
   * @param topK to how many different experts each token goes, 1 to the number of experts
   * @param maxTokens the most tokens of one group in one step, 1 or more
   * @param tokenBytes bytes of one token on the way out, 1 or more; whatever they are, scales too
   * @param hidden numbers in one result, 1 or more
   */
  public static Builder builder(
      ExpertPlacement placement, int topK, int maxTokens, int tokenBytes, int hidden) {
    return new Builder(placement, topK, maxTokens, tokenBytes, hidden);
  }

  /** Which ranks hold which experts. */
  public ExpertPlacement placement() {
    return placement;
  }

  /** Which ranks hold the same tokens. */
  public RankGroups groups() {
    return groups;
  }

  /** How many ranks there are. */
  public int ranks() {
    return placement.ranks();
  }

  /** To how many different experts each token goes. */
  public int topK() {
    return topK;
  }

  /** The most tokens of one group in one step. */
  public int maxTokens() {
    return maxTokens;
  }

  /** The most pairs of a token and an expert of one group in one step. */
  public int maxPairs() {
    return maxTokens * topK;
  }

  /** Bytes of one token on the way out. */
  public int tokenBytes() {
    return tokenBytes;
  }

  /** From one token to the next in memory of a group: the bytes, up to a multiple of 16. */
  public long tokenStride() {
    return Checks.up(tokenBytes, 16);
  }

  /** Numbers in one result, and in one sum. */
  public int hidden() {
    return hidden;
  }

  /** What results consist of on the way back. */
  public FloatType resultType() {
    return resultType;
  }

  /** Bytes of one result. */
  public long resultBytes() {
    return (long) hidden * resultType.bytes();
  }

  /** From one result to the next in memory of a group: the bytes, up to a multiple of 16. */
  public long resultStride() {
    return Checks.up(resultBytes(), 16);
  }

  /** What sums consist of; they are computed in {@link FloatType#FP32}. */
  public FloatType sumType() {
    return sumType;
  }

  /** Bytes of one sum. */
  public long sumBytes() {
    return (long) hidden * sumType.bytes();
  }

  /** Slots that each rank has for tokens of each group that come before the routes are known. */
  public int privateTokens() {
    return privateTokens;
  }

  /**
   * The most tokens that a rank may get in one step, those of its own group included and one for
   * each of its experts that the token goes to; {@link Integer#MAX_VALUE} for whatever may come.
   */
  public int maxReceived() {
    return maxReceived;
  }

  /** Tokens of each expert begin at a multiple of so many, as a rank gets them. */
  public int expertAlignment() {
    return expertAlignment;
  }

  /**
   * Whether experts compute where tokens have come and from where results are sent, so that nothing
   * is copied in between: an {@link ExpertBatch} has its rows in many places then.
   */
  public boolean isInPlace() {
    return isInPlace;
  }

  /** How many steps may be under way at once, each on a lane of its own. */
  public int lanes() {
    return lanes;
  }

  /** What a rank of this shape needs. */
  public MoeMemory memory(int rank) {
    return MoeMemory.of(this, rank, maxReceived);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof MoeShape that
        && placement.equals(that.placement)
        && groups.equals(that.groups)
        && toString().equals(that.toString());
  }

  @Override
  public int hashCode() {
    return toString().hashCode();
  }

  /** All numbers; of placement and groups, how many. */
  @Override
  public String toString() {
    return placement
        + ", "
        + groups
        + ", top "
        + topK
        + ", "
        + maxTokens
        + " tokens of "
        + tokenBytes
        + " bytes, results of "
        + hidden
        + " "
        + resultType
        + ", sums of "
        + sumType
        + ", "
        + privateTokens
        + " private slots, "
        + (maxReceived == Integer.MAX_VALUE ? "all" : "at most " + maxReceived)
        + " received, aligned to "
        + expertAlignment
        + (isInPlace ? ", in place, " : ", ")
        + lanes
        + (lanes == 1 ? " lane" : " lanes");
  }

  /** What says of two shapes, almost certainly, whether they are the same. */
  long digest() {
    long digest = groups.digest(placement.digest(1));
    for (char c : toString().toCharArray()) {
      digest = Checks.mix(digest, c);
    }
    return digest;
  }

  /** Sets what differs from the defaults. */
  public static final class Builder {
    private final ExpertPlacement placement;
    private final int topK;
    private final int maxTokens;
    private final int tokenBytes;
    private final int hidden;
    private RankGroups groups;
    private FloatType resultType = FloatType.BF16;
    private FloatType sumType = FloatType.BF16;
    private int privateTokens = -1;
    private int maxReceived = Integer.MAX_VALUE;
    private int expertAlignment = 1;
    private boolean isInPlace;
    private int lanes = 1;

    private Builder(
        ExpertPlacement placement, int topK, int maxTokens, int tokenBytes, int hidden) {
      this.placement = Objects.requireNonNull(placement, "placement");
      this.topK = Checks.between("topK", topK, 1, placement.experts());
      this.maxTokens = Checks.between("maxTokens", maxTokens, 1, Integer.MAX_VALUE / topK);
      this.tokenBytes = Checks.between("tokenBytes", tokenBytes, 1, 1 << 30);
      this.hidden = Checks.between("hidden", hidden, 1, 1 << 28);
      this.groups = RankGroups.single(placement.ranks());
    }

    /** See {@link MoeShape#groups()}; by default each rank has tokens of its own. */
    public Builder groups(RankGroups groups) {
      Objects.requireNonNull(groups, "groups");
      Checks.between("ranks in groups", groups.ranks(), placement.ranks(), placement.ranks());
      this.groups = groups;
      return this;
    }

    /** See {@link MoeShape#resultType()}; by default {@link FloatType#BF16}. */
    public Builder resultType(FloatType type) {
      this.resultType = Objects.requireNonNull(type, "type");
      return this;
    }

    /** See {@link MoeShape#sumType()}; by default {@link FloatType#BF16}. */
    public Builder sumType(FloatType type) {
      this.sumType = Objects.requireNonNull(type, "type");
      return this;
    }

    /**
     * See {@link MoeShape#privateTokens()}, 0 or more; by default a fifth more than what comes if
     * tokens spread evenly. What a group sends beyond them waits for the exchange of routes.
     */
    public Builder privateTokens(int slots) {
      this.privateTokens = Checks.between("privateTokens", slots, 0, Integer.MAX_VALUE);
      return this;
    }

    /**
     * See {@link MoeShape#maxReceived()}, 1 or more; by default whatever may come, so that no step
     * is refused.
     */
    public Builder maxReceived(int tokens) {
      this.maxReceived = Checks.between("maxReceived", tokens, 1, Integer.MAX_VALUE);
      return this;
    }

    /** See {@link MoeShape#expertAlignment()}, 1 to 65,536; by default 1. */
    public Builder expertAlignment(int tokens) {
      this.expertAlignment = Checks.between("expertAlignment", tokens, 1, 1 << 16);
      return this;
    }

    /**
     * See {@link MoeShape#isInPlace()}; by default not, and each expert has its tokens one behind
     * the other. For experts that take one row after the other, or lists of rows, in the memory of
     * the host: it saves two copies in each step, and the memory for them. Alignment has no meaning
     * then.
     */
    public Builder inPlace(boolean inPlace) {
      this.isInPlace = inPlace;
      return this;
    }

    /** See {@link MoeShape#lanes()}, 1 to {@link MoeShape#MAX_LANES}; by default 1. */
    public Builder lanes(int lanes) {
      this.lanes = Checks.between("lanes", lanes, 1, MAX_LANES);
      return this;
    }

    /**
     * The shape, checked.
     *
     * @throws IllegalArgumentException if a rank would need more places than an int counts, or more
     *     bytes than a long; a smaller {@link #maxReceived} or {@link #privateTokens} helps. Or if
     *     experts compute in place and their tokens are to be aligned
     */
    public MoeShape build() {
      if (isInPlace && expertAlignment != 1) {
        throw new IllegalArgumentException(
            "expected an expertAlignment of 1 for experts that compute in place, whose tokens do"
                + " not lie one behind the other, got "
                + expertAlignment);
      }
      MoeShape shape = new MoeShape(this);
      for (int rank = 0; rank < shape.ranks(); rank++) {
        shape.memory(rank);
      }
      return shape;
    }
  }
}
