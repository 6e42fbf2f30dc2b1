package io.reactivetransfer;

/**
 * Memory of another engine, as this engine can write to it: a {@link RegionDescriptor} that was
 * resolved by {@link TransferEngine#remote}. Bounds are checked here, before any NIC sees a write.
 * It holds no connection and needs no closing.
 */
public interface RemoteRegion {

  /** The engine that owns the memory. */
  Peer peer();

  /** Length in bytes. */
  long length();

  /** What it was resolved from. */
  RegionDescriptor descriptor();

  /**
   * A part of this region.
   *
   * @param offset first byte
   * @param length bytes; 0 is legal
   * @throws IndexOutOfBoundsException if it does not lie within the region
   */
  default RemoteSlice slice(long offset, long length) {
    return new RemoteSlice(this, offset, length);
  }

  /** The whole region as a slice. */
  default RemoteSlice whole() {
    return slice(0, length());
  }
}
