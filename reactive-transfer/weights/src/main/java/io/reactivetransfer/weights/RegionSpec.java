package io.reactivetransfer.weights;

/**
 * Memory of a rank in which tensors lie.
 *
 * @param bytes how long it is, at least 1
 * @param isRegistered whether NICs read it or write to it. What lies in other memory, such as a
 *     file or what a trainer has put aside, is loaded into a temporary first
 */
public record RegionSpec(long bytes, boolean isRegistered) {

  /** Checks the length. */
  public RegionSpec {
    if (bytes < 1) {
      throw new IllegalArgumentException("expected a region of 1 or more bytes, got " + bytes);
    }
  }

  /** Memory that is registered. */
  public static RegionSpec registered(long bytes) {
    return new RegionSpec(bytes, true);
  }

  /** Memory that must be loaded from. */
  public static RegionSpec loaded(long bytes) {
    return new RegionSpec(bytes, false);
  }
}
