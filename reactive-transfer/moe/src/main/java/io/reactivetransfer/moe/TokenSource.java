package io.reactivetransfer.moe;

import io.reactivetransfer.AimedWrite;
import io.reactivetransfer.GatherList;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.moe.MoeMemory.Section;
import java.util.Arrays;

/**
 * Tokens of the application in memory that is registered: NICs gather there what goes to each rank,
 * so that nobody puts them in send order. Its writes are aimed anew in each step. Only in turns.
 */
final class TokenSource {

  /** What goes to one rank in one write. */
  private record Gathered(AimedWrite write, GatherList tokens) {}

  private final MemoryRegion region;
  private final long stride;
  private final LaneMemory memory;
  private final MoeShape shape;
  private final int[] targets;

  /** For each target one. */
  private final Gathered[] privates;

  private final Gathered[] overflows;

  TokenSource(MemoryRegion region, long stride, LaneMemory memory, MoeShape shape, int[] targets) {
    this.region = region;
    this.stride = stride;
    this.memory = memory;
    this.shape = shape;
    this.targets = targets;
    privates = new Gathered[targets.length];
    overflows = new Gathered[targets.length];
    Arrays.setAll(privates, i -> gathered(targets[i]));
    Arrays.setAll(overflows, i -> gathered(targets[i]));
  }

  private Gathered gathered(int target) {
    return new Gathered(
        memory.write(region, target, Ranks.TOKENS),
        GatherList.of(shape.tokenBytes(), stride, shape.tokenStride()));
  }

  @SuppressWarnings("ReferenceEquality") // the very same region
  boolean isOf(MemoryRegion other, long otherStride) {
    return region == other && stride == otherStride;
  }

  MemoryRegion region() {
    return region;
  }

  /**
   * Aims what goes to one section of a target.
   *
   * @param i which of the targets
   * @param offset where the tokens begin within the region
   * @param first the first pair in send order
   * @param count how many, from that one on
   * @param section private slots or the overflow
   * @param slot the first slot there
   */
  AimedWrite aim(
      int i, long offset, OwnRouting routing, int first, int count, Section section, int slot) {
    Gathered to = (section == Section.PRIVATE ? privates : overflows)[i];
    GatherList tokens = to.tokens().clear();
    for (int place = first; place < first + count; place++) {
      tokens.add(routing.token(place));
    }
    long at = memory.at(targets[i], section) + slot * shape.tokenStride();
    return to.write().aim(tokens, offset, at);
  }
}
