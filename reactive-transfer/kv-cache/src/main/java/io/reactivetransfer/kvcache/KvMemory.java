package io.reactivetransfer.kvcache;

import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.MemorySlice;
import java.util.List;

/**
 * Registered memory that holds a KV cache. Owns neither the registrations nor the memory: whoever
 * made the regions closes them, behind {@link KvDecode#closed()} or {@link KvCache#closed()}. Not
 * before: a decode node registers the memory once more for each prefill node, and closing a region
 * of the application ends none of these.
 *
 * @param regions those of the layout, in its order, each at least as long as it says; on the decode
 *     side open to remote writes
 * @param layout where the pages lie in them
 */
public record KvMemory(List<MemoryRegion> regions, KvLayout layout) {

  /** Checks that the layout fits. */
  public KvMemory {
    regions = List.copyOf(regions);
    if (regions.size() != layout.regions()) {
      throw new IllegalArgumentException(
          "expected " + layout.regions() + " regions for " + layout + ", got " + regions.size());
    }
    for (int region = 0; region < regions.size(); region++) {
      if (regions.get(region).length() < layout.bytes(region)) {
        throw new IllegalArgumentException(
            "expected a region "
                + region
                + " of at least "
                + layout.bytes(region)
                + " bytes for "
                + layout
                + ", got "
                + regions.get(region).length());
      }
    }
  }

  /** A layout that lies in one region. */
  public static KvMemory of(MemoryRegion region, KvLayout layout) {
    return new KvMemory(List.of(region), layout);
  }

  /**
   * One page of one part of one layer.
   *
   * @param layer the model's number
   * @param part position in {@link KvLayout#parts()}
   * @throws IndexOutOfBoundsException if there is no such layer, part or page
   */
  public MemorySlice page(int layer, int part, int page) {
    return regions
        .get(layout.place(layer, part).region())
        .slice(
            layout.offset(layer, part, page),
            layout.parts().get(part).pageBytes(layout.pageTokens()));
  }
}
