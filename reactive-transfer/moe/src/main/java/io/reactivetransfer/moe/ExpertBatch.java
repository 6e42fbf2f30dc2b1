package io.reactivetransfer.moe;

import java.lang.foreign.MemorySegment;
import java.util.Objects;

/**
 * The tokens of one step for the experts of this rank, and where their results go: in the same
 * rows. An expert's rows follow each other, from a multiple of {@link MoeShape#expertAlignment()}
 * on; what lies in the rows behind them up to the next multiple is left as it was. The same object
 * for every step of a lane; valid from {@link MoeStep#dispatchReceive()} until {@link
 * MoeStep#combineSend()} is subscribed to.
 */
public final class ExpertBatch {

  private final MoeShape shape;
  private final int rank;
  private final Arrangement arrangement;
  private final MemorySegment tokens;
  private final MemorySegment results;

  ExpertBatch(
      MoeShape shape,
      int rank,
      Arrangement arrangement,
      MemorySegment tokens,
      MemorySegment results) {
    this.shape = shape;
    this.rank = rank;
    this.arrangement = arrangement;
    this.tokens = tokens;
    this.results = results;
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

  /** Its first row. */
  public int firstRow(int index) {
    return arrangement.firstRow(index);
  }

  /** How many tokens all of them got. */
  public int count() {
    return arrangement.received();
  }

  /** The tokens: row i begins at {@code i * tokenStride()}. Memory of the group. */
  public MemorySegment tokens() {
    return tokens;
  }

  /** From one token to the next, in bytes. */
  public long tokenStride() {
    return shape.tokenStride();
  }

  /** Where results go: row i begins at {@code i * resultStride()}. Memory of the group. */
  public MemorySegment results() {
    return results;
  }

  /** From one result to the next, in bytes. */
  public long resultStride() {
    return shape.resultStride();
  }
}
