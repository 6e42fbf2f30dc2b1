package io.reactivetransfer.kvcache;

import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.MemorySlice;

/**
 * Registered memory that holds a KV cache from its first byte on. Owns neither the registration nor
 * the memory: whoever made the region closes it, after all hand-overs have ended.
 *
 * @param region at least as long as the layout; on the decode side open to remote writes
 * @param layout where the pages lie in it
 */
public record KvMemory(MemoryRegion region, OldLayout layout) {

  /** Checks that the layout fits. */
  public KvMemory {
    if (region.length() < layout.bytes()) {
      throw new IllegalArgumentException(
          "expected a region of at least "
              + layout.bytes()
              + " bytes for "
              + layout
              + ", got "
              + region.length());
    }
  }

  /**
   * All pages of a layer.
   *
   * @throws IndexOutOfBoundsException if there is no such layer
   */
  public MemorySlice layer(int layer) {
    return region.slice(layout.offset(layer), layout.layerBytes());
  }

  /**
   * One page of a layer.
   *
   * @throws IndexOutOfBoundsException if there is no such layer or page
   */
  public MemorySlice page(int layer, int page) {
    return region.slice(layout.offset(layer, page), layout.pageBytes());
  }
}
