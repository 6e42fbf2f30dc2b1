package io.reactivetransfer.moe;

import io.reactivetransfer.MemoryRegion;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The sources of tokens that were used last on a lane, so that a step from one of them makes
 * nothing. Only in turns.
 */
final class TokenSources {

  /** Such as one buffer for each layer of a model. */
  static final int MOST = 64;

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
    TokenSource source = taken(region, stride);
    if (source == null) {
      if (used.size() == MOST) {
        used.removeFirst();
      }
      source = new TokenSource(region, stride, memory, shape, targets);
    }
    used.add(source);
    return source;
  }

  /** Takes it out, if it is there, and closed ones: nobody but us might have their memory. */
  private @Nullable TokenSource taken(MemoryRegion region, long stride) {
    TokenSource taken = null;
    for (int i = used.size() - 1; i >= 0; i--) {
      TokenSource one = used.get(i);
      if (one.isOf(region, stride)) {
        taken = used.remove(i);
      } else if (one.region().isClosed()) {
        used.remove(i);
      }
    }
    return taken;
  }
}
