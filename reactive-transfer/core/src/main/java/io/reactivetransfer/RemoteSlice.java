package io.reactivetransfer;

import java.util.Objects;

/**
 * A part of another engine's memory, as the target of a write.
 *
 * @param region where it lies
 * @param offset first byte within the region
 * @param length bytes; 0 is legal
 */
public record RemoteSlice(RemoteRegion region, long offset, long length) {

  /** Checks that it lies within the region. */
  public RemoteSlice {
    Objects.requireNonNull(region, "region");
    Objects.checkFromIndexSize(offset, length, region.length());
  }
}
