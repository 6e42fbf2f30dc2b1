package io.reactivetransfer.moe;

import io.reactivetransfer.DeviceMemory;
import io.reactivetransfer.HostMemory;
import io.reactivetransfer.Memory;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The tokens of one step for the experts of this rank, and where their results go: in the same
 * rows. An expert's rows follow each other, from a multiple of {@link MoeShape#expertAlignment()}
 * on; what lies in the rows behind them up to the next multiple is left as it was. The same object
 * for every step of a lane; valid from {@link MoeStep#dispatchReceive()} until {@link
 * MoeStep#combineSend()} is subscribed to. From then on the group reads the results, until {@link
 * MoeStep#combineReceive} has ended.
 */
public final class ExpertBatch {

  private final MoeShape shape;
  private final int rank;
  private final Arrangement arrangement;
  private final MemorySegment tokens;
  private final MemorySegment results;
  private final Memory tokenMemory;
  private final Memory resultMemory;

  ExpertBatch(
      MoeShape shape,
      int rank,
      Arrangement arrangement,
      MemorySegment tokens,
      @Nullable DeviceMemory deviceTokens,
      MemorySegment results,
      @Nullable DeviceMemory deviceResults) {
    this.shape = shape;
    this.rank = rank;
    this.arrangement = arrangement;
    this.tokens = tokens;
    this.results = results;
    this.tokenMemory = deviceTokens == null ? new HostMemory(tokens) : deviceTokens;
    this.resultMemory = deviceResults == null ? new HostMemory(results) : deviceResults;
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

  /**
   * How many of an expert's tokens come from a group of ranks. Its rows are those of group 0 first,
   * then those of group 1 and so on; those of one group rise with the number of the token there.
   */
  public int count(int index, int group) {
    Objects.checkIndex(index, experts());
    Objects.checkIndex(group, shape.groups().groups());
    return arrangement.count(index, group);
  }

  /** The first row of those; where the next ones begin if there are none. */
  public int firstRow(int index, int group) {
    Objects.checkIndex(index, experts());
    Objects.checkIndex(group, shape.groups().groups());
    return arrangement.row(index, group);
  }

  /** How many tokens all of them got. */
  public int count() {
    return arrangement.received();
  }

  /**
   * The tokens: row i begins at {@code i * tokenStride()}. Memory of the group.
   *
   * @throws IllegalStateException if experts have them on an accelerator, by {@link
   *     MoeOptions#expertMemory()}
   */
  public MemorySegment tokens() {
    return ofHost(tokens, tokenMemory, "tokenMemory");
  }

  /** The tokens, wherever experts have them: row i begins at {@code i * tokenStride()}. */
  public Memory tokenMemory() {
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
   *     MoeOptions#expertMemory()}
   */
  public MemorySegment results() {
    return ofHost(results, resultMemory, "resultMemory");
  }

  /** Where results go, wherever experts put them: row i begins at {@code i * resultStride()}. */
  public Memory resultMemory() {
    return resultMemory;
  }

  /** From one result to the next, in bytes. */
  public long resultStride() {
    return shape.resultStride();
  }

  private static MemorySegment ofHost(MemorySegment memory, Memory ofExperts, String other) {
    if (ofExperts instanceof DeviceMemory device) {
      throw new IllegalStateException(
          "expected experts that compute in memory of the host, got some on "
              + device.device()
              + "; take "
              + other
              + "()");
    }
    return memory;
  }
}
