package io.reactivetransfer.moe;

import io.reactivetransfer.MemoryRegion;
import java.util.ArrayList;
import java.util.List;

/**
 * The sources of tokens that were used last on a lane, so that a step from one of them makes
 * nothing. Only in turns.
 */
final class TokenSources {

  /** Such as one buffer for each layer of a model. */
  private static final int MOST = 64;

  private final LaneMemory memory;
  private final MoeShape shape;
  private final int[] targets;

  /** The one that was used last is the last one. */
  private final List<TokenSource> used = new ArrayList<>(MOST);

  TokenSources(LaneMemory memory, MoeShape shape, int[] targets) {
    this.memory = memory;
    this.shape = shape;
    this.targets = targets;
  }

  /** That of a region whose tokens are so far from each other. No write of others is under way. */
  TokenSource of(MemoryRegion region, long stride) {
    for (int i = 0; i < used.size(); i++) {
      if (used.get(i).isOf(region, stride)) {
        TokenSource again = used.remove(i);
        used.add(again);
        return again;
      }
    }
    used.removeIf(one -> one.region().isClosed());
    if (used.size() == MOST) {
      used.removeFirst();
    }
    TokenSource made = new TokenSource(region, stride, memory, shape, targets);
    used.add(made);
    return made;
  }
}
