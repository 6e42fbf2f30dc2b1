package io.reactivetransfer.simulation;

import io.reactivetransfer.AimedWrite;
import io.reactivetransfer.GatherList;
import io.reactivetransfer.MemoryRegion;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Writes of one engine that can be aimed, and are on their way no more: they are used again. */
final class Spares {

  /**
   * Rows that nobody has listed for a write: one that reads them now finds other bytes, or none.
   */
  private static final int OTHER_ROW = 1 << 20;

  private final List<AimedWrite> spares = new ArrayList<>();

  /** It was emitted, or its stream has ended: its owner may do what he likes with it. */
  void add(AimedWrite write) {
    GatherList list = write.list();
    if (list != null) {
      int size = list.size();
      list.clear().addRange(OTHER_ROW, size);
    }
    spares.add(write);
  }

  /** The oldest one from this source, which is not spare any more; null if there is none. */
  @SuppressWarnings("ReferenceEquality") // the very same region
  @Nullable AimedWrite take(MemoryRegion source) {
    for (int i = 0; i < spares.size(); i++) {
      if (spares.get(i).source() == source) {
        return spares.remove(i);
      }
    }
    return null;
  }
}
