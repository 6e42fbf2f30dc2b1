package io.reactivetransfer.moe;

import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;

/**
 * What one rank needs, and what lies where in it. Each lane has the same sections, one lane behind
 * the other. A pure function of the shape: every rank computes it for all others.
 */
public final class MoeMemory {

  /** The parts of a lane, in their order. */
  public enum Section {
    /** This rank's counts, as they are written to all others. */
    OWN_ROW,
    /** The counts of all ranks; others write here. */
    ROWS,
    /** Tokens of this rank's group in the order in which they are sent. */
    SEND,
    /** The first tokens of each other group; others write here. */
    PRIVATE,
    /** Tokens beyond the private slots, of all other groups; others write here. */
    OVERFLOW,
    /** Tokens by expert, as the application gets them; none if experts compute in place. */
    TOKENS,
    /** Results in the same places, from the application; none if experts compute in place. */
    RESULTS,
    /**
     * Results by group, in the order in which the group sent its tokens; from the application if
     * experts compute in place.
     */
    BLOCKS,
    /** Results of this rank's own tokens; others write here. */
    RETURNED
  }

  /** Sections begin at multiples of so many bytes; the memory of a rank must, too. */
  public static final int ALIGNMENT = 256;

  private final MoeShape shape;
  private final int rank;
  private final int received;
  private final int tokenRows;
  private final int privateSlots;
  private final int overflowSlots;
  private final Map<Section, Long> offsets = new EnumMap<>(Section.class);
  private final Map<Section, Long> lengths = new EnumMap<>(Section.class);
  private final long laneBytes;
  private final long bytes;

  private MoeMemory(MoeShape shape, int rank, int maxReceived) {
    this.shape = shape;
    this.rank = rank;
    int experts = shape.placement().expertsOn(rank);
    long tokens = shape.maxTokens();
    long groups = shape.groups().groups();
    long ofOneGroup = tokens * Math.min(shape.topK(), experts);
    long worst = groups * ofOneGroup;
    long most = maxReceived == Integer.MAX_VALUE ? worst : Math.min(maxReceived, worst);
    long slots = Math.min(shape.privateTokens(), ofOneGroup);
    long over = Math.min((groups - 1) * (ofOneGroup - slots), Math.max(0, most - slots));
    received = places("tokens that a rank may get", most);
    places("private slots", (groups - 1) * slots);
    privateSlots = (int) slots;
    overflowSlots = places("tokens beyond private slots", over);
    long align = shape.expertAlignment();
    long spread = (most + Math.min(experts, most) * (align - 1)) / align * align;
    long ofOneExpert = Checks.up(groups * tokens, align);
    long full =
        ofOneExpert > Long.MAX_VALUE / Math.max(1, experts)
            ? Long.MAX_VALUE
            : experts * ofOneExpert;
    tokenRows = shape.isInPlace() ? 0 : places("tokens by expert", Math.min(spread, full));

    long at = 0;
    long rowBytes = RouteRow.bytes(shape);
    at = put(Section.OWN_ROW, at, 1, rowBytes);
    at = put(Section.ROWS, at, shape.ranks(), rowBytes);
    at = put(Section.SEND, at, shape.maxPairs(), shape.tokenStride());
    at = put(Section.PRIVATE, at, (groups - 1) * slots, shape.tokenStride());
    at = put(Section.OVERFLOW, at, overflowSlots, shape.tokenStride());
    at = put(Section.TOKENS, at, tokenRows, shape.tokenStride());
    at = put(Section.RESULTS, at, tokenRows, shape.resultStride());
    at = put(Section.BLOCKS, at, received, shape.resultStride());
    at = put(Section.RETURNED, at, shape.maxPairs(), shape.resultStride());
    laneBytes = at;
    try {
      bytes = Math.multiplyExact(at, shape.lanes());
    } catch (ArithmeticException e) {
      throw tooManyBytes(shape.lanes() + " lanes", e);
    }
  }

  private int places(String what, long count) {
    if (count > Integer.MAX_VALUE) {
      throw new IllegalArgumentException(
          "expected at most "
              + Integer.MAX_VALUE
              + " "
              + what
              + ", got "
              + count
              + " on rank "
              + rank
              + "; set maxReceived, fewer privateTokens, or fewer tokens for a step");
    }
    return (int) count;
  }

  private long put(Section section, long at, long places, long stride) {
    try {
      long length = Math.multiplyExact(places, stride);
      offsets.put(section, at);
      lengths.put(section, length);
      return Checks.up(Math.addExact(at, length), ALIGNMENT);
    } catch (ArithmeticException e) {
      throw tooManyBytes(section.toString(), e);
    }
  }

  private IllegalArgumentException tooManyBytes(String what, ArithmeticException cause) {
    return new IllegalArgumentException(
        "expected memory of at most 2^63 bytes, got more for " + what + " of rank " + rank, cause);
  }

  /**
   * What a rank needs so that every step is taken in which each rank gets at most so many tokens.
   *
   * @param shape all else; its own {@link MoeShape#maxReceived()} is not looked at
   * @param rank 0 to {@code shape.ranks() - 1}
   * @param maxReceived 1 or more, as {@link MoeShape#maxReceived()}; {@link Integer#MAX_VALUE} for
   *     the worst case, in which all tokens of all groups come to this rank
   */
  public static MoeMemory of(MoeShape shape, int rank, int maxReceived) {
    Objects.requireNonNull(shape, "shape");
    Checks.between("rank", rank, 0, shape.ranks() - 1);
    Checks.between("maxReceived", maxReceived, 1, Integer.MAX_VALUE);
    return new MoeMemory(shape, rank, maxReceived);
  }

  /** Whose memory it is. */
  public int rank() {
    return rank;
  }

  /** Bytes of all lanes. */
  public long bytes() {
    return bytes;
  }

  /** Bytes of one lane. */
  public long laneBytes() {
    return laneBytes;
  }

  /** Where a section of a lane begins, in bytes from the beginning of the memory. */
  public long offset(int lane, Section section) {
    Checks.between("lane", lane, 0, shape.lanes() - 1);
    return lane * laneBytes + start(section);
  }

  /** Bytes of a section of each lane. */
  public long length(Section section) {
    return Objects.requireNonNull(lengths.get(Objects.requireNonNull(section, "section")));
  }

  /**
   * Bytes that experts of this rank need on their accelerator, if that is {@linkplain
   * MoeOptions.Builder#expertMemory given}: {@link Section#TOKENS} and {@link Section#RESULTS} of
   * all lanes.
   */
  public long expertBytes() {
    return expertLaneBytes() * shape.lanes();
  }

  private long expertLaneBytes() {
    return Checks.up(length(Section.TOKENS), ALIGNMENT)
        + Checks.up(length(Section.RESULTS), ALIGNMENT);
  }

  /**
   * Where a section of a lane begins in the memory that experts have on their accelerator, in bytes
   * from its beginning.
   *
   * @param section {@link Section#TOKENS} or {@link Section#RESULTS}
   * @throws IllegalArgumentException if it is another one, which lies in the host only
   */
  public long expertOffset(int lane, Section section) {
    Checks.between("lane", lane, 0, shape.lanes() - 1);
    return lane * expertLaneBytes()
        + switch (Objects.requireNonNull(section, "section")) {
          case TOKENS -> 0;
          case RESULTS -> Checks.up(length(Section.TOKENS), ALIGNMENT);
          default ->
              throw new IllegalArgumentException(
                  "expected TOKENS or RESULTS, which experts use, got " + section);
        };
  }

  private long start(Section section) {
    return Objects.requireNonNull(offsets.get(Objects.requireNonNull(section, "section")));
  }

  /** The most tokens that this rank may get in one step. */
  public int received() {
    return received;
  }

  /**
   * Places for tokens by expert, alignment included, and for results; none if experts compute in
   * place.
   */
  public int tokenRows() {
    return tokenRows;
  }

  /** Slots for the first tokens of each other group. */
  public int privateSlots() {
    return privateSlots;
  }

  /** Slots for what comes beyond them, of all other groups together. */
  public int overflowSlots() {
    return overflowSlots;
  }

  /** Each section of a lane with its bytes. */
  @Override
  public String toString() {
    StringBuilder text = new StringBuilder("rank " + rank + ": " + bytes + " bytes");
    String separator = shape.lanes() == 1 ? ": " : " in " + shape.lanes() + " lanes of: ";
    for (Section section : Section.values()) {
      text.append(separator).append(section).append(' ').append(length(section));
      separator = ", ";
    }
    return text.toString();
  }
}
