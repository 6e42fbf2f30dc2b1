package io.reactivetransfer;

import java.util.Objects;

/**
 * A part of local registered memory, as the source of a write.
 *
 * @param region where it lies
 * @param offset first byte within the region
 * @param length bytes; 0 is legal
 */
public record MemorySlice(MemoryRegion region, long offset, long length) {

  /** Checks that it lies within an open region. */
  public MemorySlice {
    Objects.requireNonNull(region, "region");
    if (region.isClosed()) {
      throw new TransferRejectedException("expected an open region, got a closed one");
    }
    Objects.checkFromIndexSize(offset, length, region.length());
  }
}
