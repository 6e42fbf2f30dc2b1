package io.reactivetransfer.moe;

import io.reactivetransfer.DeviceMemory;
import io.reactivetransfer.HostMemory;
import io.reactivetransfer.Memory;
import io.reactivetransfer.moe.MoeMemory.Section;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The tokens of one step for the experts of this rank, and where their results go. The same object
 * for every step of a lane; valid from {@link MoeStep#dispatchReceive()} until {@link
 * MoeStep#combineSend()} is subscribed to. From then on others may write to the tokens, and the
 * group reads the results, until that and {@link MoeStep#combineReceive} have ended.
 *
 * <p>An expert's rows follow each other, from a multiple of {@link MoeShape#expertAlignment()} on,
 * and its results go to the same rows; what lies in the rows behind them up to the next multiple is
 * left as it was. Of a shape that is {@linkplain MoeShape#isInPlace() in place} they are where they
 * have come, and results go to where they are sent from: {@link #runs} and {@link #tokenAt} say
 * where that is, of other shapes, too, and what is said of rows one behind the other throws.
 */
public final class ExpertBatch {

  private final MoeShape shape;
  private final int rank;
  private final Arrangement arrangement;
  private final MemorySegment memory;
  private final Memory tokenMemory;
  private final Memory resultMemory;

  // Where sections of the lane begin in the memory.
  private final long sendAt;
  private final long privateAt;
  private final long overflowAt;
  private final long tokensAt;
  private final long resultsAt;

  /**
   * Of one lane.
   *
   * @param memory all of this rank
   */
  ExpertBatch(
      MoeShape shape,
      int rank,
      int lane,
      Arrangement arrangement,
      MemorySegment memory,
      @Nullable DeviceMemory deviceTokens,
      @Nullable DeviceMemory deviceResults) {
    this.shape = shape;
    this.rank = rank;
    this.arrangement = arrangement;
    this.memory = memory;
    MoeMemory own = shape.memory(rank);
    sendAt = own.offset(lane, Section.SEND);
    privateAt = own.offset(lane, Section.PRIVATE);
    overflowAt = own.offset(lane, Section.OVERFLOW);
    tokensAt = own.offset(lane, Section.TOKENS);
    resultsAt = own.offset(lane, shape.isInPlace() ? Section.BLOCKS : Section.RESULTS);
    tokenMemory =
        deviceTokens == null
            ? new HostMemory(memory.asSlice(tokensAt, own.length(Section.TOKENS)))
            : deviceTokens;
    resultMemory =
        deviceResults == null
            ? new HostMemory(memory.asSlice(resultsAt, own.length(Section.RESULTS)))
            : deviceResults;
  }

  /** How many experts this rank holds. */
  public int experts() {
    return arrangement.experts();
  }

  /** The number of one of them, as tokens name it. */
  public int expert(int index) {
    Objects.checkIndex(index, experts());
    return shape.placement().expertOf(shape.placement().firstInstance(rank) + index);
  }

  /** How many tokens it got. */
  public int count(int index) {
    return arrangement.count(index);
  }

  /**
   * Its first row.
   *
   * @throws IllegalStateException if the shape is in place
   */
  public int firstRow(int index) {
    requireRows();
    return arrangement.firstRow(index);
  }

  /**
   * How many of an expert's tokens come from a group of ranks. Its rows are those of group 0 first,
   * then those of group 1 and so on; those of one group rise with the number of the token there.
   */
  public int count(int index, int group) {
    Objects.checkIndex(index, experts());
    Objects.checkIndex(group, shape.groups().groups());
    return arrangement.count(index, group);
  }

  /**
   * The first row of those; where the next ones begin if there are none.
   *
   * @throws IllegalStateException if the shape is in place
   */
  public int firstRow(int index, int group) {
    Objects.checkIndex(index, experts());
    Objects.checkIndex(group, shape.groups().groups());
    requireRows();
    return arrangement.row(index, group);
  }

  /** How many tokens all of them got. */
  public int count() {
    return arrangement.received();
  }

  /**
   * Where the i-th token of an expert begins, from 0 to one less than {@link #count(int)}, in bytes
   * from the beginning of {@link #memory()}. In the same order as rows have, of every shape.
   *
   * @throws IllegalStateException if experts have them on an accelerator
   */
  public long tokenAt(int index, int i) {
    requireHost("tokenMemory");
    Objects.checkIndex(i, arrangement.count(index));
    if (!shape.isInPlace()) {
      return tokensAt + (arrangement.firstRow(index) + i) * shape.tokenStride();
    }
    int group = arrangement.groupOf(index, i);
    return slotAt(group, pair(index, group) + i - arrangement.before(index, group));
  }

  /** Where the result of that token goes, likewise. */
  public long resultAt(int index, int i) {
    requireHost("resultMemory");
    Objects.checkIndex(i, arrangement.count(index));
    int group = shape.isInPlace() ? arrangement.groupOf(index, i) : 0;
    int row = arrangement.row(index, group) + i - arrangement.before(index, group);
    return resultsAt + row * shape.resultStride();
  }

  /**
   * Tells where all tokens of an expert lie, and where their results go, in runs: one for each
   * group that has tokens for it, and in place two where private slots end among these. In the
   * order of {@link #tokenAt}, of every shape. Allocates nothing.
   *
   * @param told of each run
   * @throws IllegalStateException if experts have them on an accelerator
   */
  public void runs(int index, ExpertRuns told) {
    Objects.requireNonNull(told, "told");
    requireHost("tokenMemory");
    Objects.checkIndex(index, experts());
    for (int group = 0; group < shape.groups().groups(); group++) {
      int count = arrangement.count(index, group);
      if (count == 0) {
        continue;
      }
      int row = arrangement.row(index, group);
      if (!shape.isInPlace()) {
        tell(told, group, count, tokensAt + row * shape.tokenStride(), row);
        continue;
      }
      int pair = pair(index, group);
      int early = Math.clamp(arrangement.slots.early(group) - pair, 0, count);
      tell(told, group, early, slotAt(group, pair), row);
      tell(told, group, count - early, slotAt(group, pair + early), row + early);
    }
  }

  private void tell(ExpertRuns told, int group, int count, long tokens, int row) {
    if (count > 0) {
      told.run(group, count, tokens, resultsAt + row * shape.resultStride());
    }
  }

  /** How many tokens a group has for experts of this rank before this one. */
  private int pair(int index, int group) {
    return arrangement.row(index, group) - arrangement.firstOfBlock(group);
  }

  /** Where one of those that a group has for this rank lies, if it was not copied. */
  private long slotAt(int group, int pair) {
    long section =
        switch (arrangement.slots.section(group, pair)) {
          case SEND -> sendAt;
          case PRIVATE -> privateAt;
          default -> overflowAt;
        };
    return section + arrangement.slots.offset(group, pair);
  }

  /**
   * All memory of this rank that the group uses, of all lanes. Only what {@link #tokenAt}, {@link
   * #resultAt} and {@link #runs} tell of is for experts.
   */
  public MemorySegment memory() {
    return memory;
  }

  /**
   * The tokens: row i begins at {@code i * tokenStride()}. Memory of the group.
   *
   * @throws IllegalStateException if experts have them on an accelerator, by {@link
   *     MoeOptions#expertMemory()}, or the shape is in place
   */
  public MemorySegment tokens() {
    return ofHost(tokenMemory, "tokenMemory");
  }

  /**
   * The tokens, wherever experts have them: row i begins at {@code i * tokenStride()}.
   *
   * @throws IllegalStateException if the shape is in place
   */
  public Memory tokenMemory() {
    requireRows();
    return tokenMemory;
  }

  /** From one token to the next, in bytes. */
  public long tokenStride() {
    return shape.tokenStride();
  }

  /**
   * Where results go: row i begins at {@code i * resultStride()}. Memory of the group.
   *
   * @throws IllegalStateException if experts put them on an accelerator, by {@link
   *     MoeOptions#expertMemory()}, or the shape is in place
   */
  public MemorySegment results() {
    return ofHost(resultMemory, "resultMemory");
  }

  /**
   * Where results go, wherever experts put them: row i begins at {@code i * resultStride()}.
   *
   * @throws IllegalStateException if the shape is in place
   */
  public Memory resultMemory() {
    requireRows();
    return resultMemory;
  }

  /** From one result to the next, in bytes. */
  public long resultStride() {
    return shape.resultStride();
  }

  private MemorySegment ofHost(Memory ofExperts, String other) {
    requireRows();
    requireHost(other);
    return ((HostMemory) ofExperts).segment();
  }

  private void requireHost(String other) {
    if (tokenMemory instanceof DeviceMemory device) {
      throw new IllegalStateException(
          "expected experts that compute in memory of the host, got some on "
              + device.device()
              + "; take "
              + other
              + "()");
    }
  }

  private void requireRows() {
    if (shape.isInPlace()) {
      throw new IllegalStateException(
          "expected a shape whose tokens lie one behind the other by expert, got one in place; take"
              + " memory() with tokenAt and resultAt, or with runs");
    }
  }
}
